import { Extensions, Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { ErrorReason } from '../../graphql/errorReasons.ts';
import { Money, toMoney } from '../../graphql/money.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { DateTime, Decimal, JSONObject } from '../../graphql/scalars.ts';
import {
  actionAmountKinds,
  actionRequestStatuses,
  type ActionAmount,
  type ActionRequestStatus,
} from '../../storage/model/approvals.ts';
import { findRequest } from './requests.ts';

export const ActionRequestStatusEnum = Object.fromEntries(actionRequestStatuses.map((each) => [each, each]));
registerEnumType(ActionRequestStatusEnum, {
  name: 'ActionRequestStatus',
  description: 'What became of a request for an action.',
  valuesConfig: {
    pending: { description: 'It waits for a decision.' },
    approved: {
      description: 'It was approved, and its operation was begun; `completedAt` says that it has ended.',
    },
    declined: { description: 'It was declined: nothing was done.' },
    withdrawn: { description: 'Who asked has withdrawn it.' },
    expired: { description: 'Nobody decided in time.' },
    failed: {
      description:
        'It was approved, but its operation was refused, as `failure` says; or its customer was erased.',
    },
  },
});

const ActionAmountKind = Object.fromEntries(actionAmountKinds.map((each) => [each, each]));
registerEnumType(ActionAmountKind, {
  name: 'ActionAmountKind',
  description: 'What an amount of a preview is.',
  valuesConfig: {
    refund: { description: 'Money that goes back to where it came from.' },
    to_balance: { description: "Money that goes back to the customer's balance." },
    credit_note: { description: 'The total of the credit notes that are issued.' },
    charge: { description: 'What is charged to the payment method at once; 0 is left out.' },
    payment: { description: 'A payment that is recorded.' },
    invoice: { description: 'The total of the invoices that are issued or finalized.' },
    from_balance: { description: "What the customer's balance pays of them." },
    next_invoice: {
      description: 'What is added to later invoices, before tax and discounts; less than 0 for a credit.',
    },
    voided: { description: 'What nobody has to pay any more.' },
    uncollectible: { description: 'What is given up.' },
    credit_granted: { description: 'Credit that the customer is granted.' },
    credit_voided: { description: 'Credit that the customer loses.' },
    recurring_before: {
      description: 'What the subscriptions that change bill for a period now, before tax and discounts.',
    },
    recurring_after: { description: 'What they bill for a period afterwards.' },
  },
});

@ObjectType('ActionAmount', {
  simpleResolvers: true,
  description: 'An amount of what an operation would do.',
})
class ActionAmountType {
  @Field(() => ActionAmountKind, { description: 'What it is.' })
  kind!: string;

  @Field(() => Money, { nullable: true, description: 'The amount; null for credits of a credit type.' })
  amount!: Money | null;

  @Field(() => Decimal, { nullable: true, description: 'The credits of a credit type; null for money.' })
  credits!: string | null;

  @Field(() => ID, { nullable: true, description: 'The credit type of the credits.' })
  creditTypeId!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'An event that an operation would record.' })
class ActionChange {
  @Field(() => String, { description: 'The activity type, such as `InvoiceEvent`.' })
  activityType!: string;

  @Field(() => String, { description: 'The action, such as `refund_started`.' })
  action!: string;

  @Field(() => ID, { nullable: true, description: 'The record; null for one that would be created.' })
  resourceId!: string | null;
}

@ObjectType('ActionPreview', {
  simpleResolvers: true,
  description: 'What an operation would do, from its execution up to the point where nothing of it remains.',
})
export class ActionPreviewType {
  @Field(() => String, {
    description:
      'Names the amounts and the changes: the same for the same ones. An approval names what was seen.',
  })
  version!: string;

  @Field(() => [ActionAmountType], { description: 'The sum of each kind and currency.' })
  amounts!: ActionAmountType[];

  @Field(() => [ActionChange], { description: 'The events that it would record; the first 100 of them.' })
  changes!: ActionChange[];
}

@ObjectType({ simpleResolvers: true, description: 'The refusal of an operation.' })
class ActionFailureType {
  @Field(() => ErrorReason, { description: 'The reason.' })
  reason!: string;

  @Field(() => String, { description: 'A message for people; the wording may change.' })
  message!: string;
}

@Extensions(refetchBy(({ read }, id) => findRequest(read, id)))
@ObjectType('ActionRequest', {
  implements: Node,
  simpleResolvers: true,
  description:
    'A request for an operation that moves money or cannot be undone. It is performed once, when somebody with its permission ' +
    'approves it.',
})
export class ActionRequest extends Node {
  @Field(() => String, { description: 'The operation: the name of the mutation.' })
  operation!: string;

  @Field(() => JSONObject, {
    description: 'Its arguments: `id` and `input`. Empty once its customer is erased.',
  })
  input!: Record<string, unknown>;

  @Field(() => String, { nullable: true, description: 'Why it is asked for.' })
  reason!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The customer whom it concerns; null if it concerns none or several.',
  })
  customerId!: string | null;

  @Field(() => String, { description: "Who asked: a key's id, or `operator:` and an id." })
  requestedBy!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The name of the key or of the operator, as it was then.',
  })
  requestedByName!: string | null;

  @Field(() => DateTime, { description: 'When it was asked for.' })
  requestedAt!: string;

  @Field(() => DateTime, { description: 'Until when it can be approved.' })
  expiresAt!: string;

  @Field(() => ActionRequestStatusEnum, { description: 'What became of it.' })
  status!: ActionRequestStatus;

  @Field(() => String, { nullable: true, description: 'Who approved, declined or withdrew it.' })
  decidedBy!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The name of the key or of the operator, as it was then.',
  })
  decidedByName!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was approved, declined or withdrawn.' })
  decidedAt!: string | null;

  @Field(() => String, { nullable: true, description: 'Why it was declined.' })
  declineReason!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the operation of an approved request had ended.',
  })
  completedAt!: string | null;

  @Field(() => ID, { nullable: true, description: 'What the operation returned.' })
  resultId!: string | null;

  @Field(() => ActionFailureType, { nullable: true, description: 'Why the operation was refused.' })
  failure!: ActionFailureType | null;
}

/** Shows an amount of a preview as money or credits. */
export const showAmount = (each: ActionAmount): ActionAmountType =>
  'credits' in each
    ? { ...each, amount: null }
    : {
        kind: each.kind,
        amount: toMoney(BigInt(each.amountMinor), each.currency),
        credits: null,
        creditTypeId: null,
      };
