/** Why a line of an invoice costs what it does, as a sentence, from the figures that the schema gives with it. */
import * as z from 'zod';
import { markedText, markText, money, moneyFields, type Money } from './values.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** The selection of a line: of an invoice and of a preview alike. */
export const lineFields = `{ kind description quantity periodStart periodEnd usage unitAmount explanation
  amount ${moneyFields} discounts { discountId amount ${moneyFields} }
  tax { percent included reason country amount ${moneyFields} } }`;

/** A line as `lineFields` selects it. */
export interface LineData {
  kind: string;
  description: string;
  quantity: number;
  periodStart: string;
  periodEnd: string;
  usage: string | null;
  unitAmount: string | null;
  explanation: Figures;
  amount: Money;
  discounts: { discountId: string; amount: Money }[];
  tax: { percent: string; included: boolean; reason: string; country: string | null; amount: Money } | null;
}

/** The figures of `InvoiceLine.explanation` that the sentences name. */
interface Figures {
  priceMinor?: string;
  remainingMs?: number;
  totalMs?: number;
  paidMinor?: string;
  model?: string;
  quantity?: number;
  unitAmount?: string;
  packageSize?: number;
  part?: string;
  usage?: string;
  includedUnits?: string;
  [name: string]: unknown;
}

/** A line in the result of a tool. */
export const explainedLine = z.object({
  kind: z.string(),
  description: markedText.nullable(),
  reason: z.string().describe('Why the line is there and how its amount is computed.'),
  periodStart: z.string(),
  periodEnd: z.string(),
  quantity: z.number(),
  usage: z.string().nullable(),
  amount: money.describe('After discounts, before tax unless the tax is included.'),
  discounts: z.array(z.object({ discountId: z.string(), amount: money })),
  tax: z
    .object({
      percent: z.string(),
      included: z.boolean(),
      reason: z.string(),
      country: z.string().nullable(),
      amount: money,
    })
    .nullable(),
  figures: z
    .record(z.string(), z.unknown())
    .describe('The figures behind the amount, as InvoiceLine.explanation has them.'),
});

/** Explains a line. */
export function explainLine(line: LineData): z.infer<typeof explainedLine> {
  const { kind, description, periodStart, periodEnd, quantity, usage, amount, discounts, tax } = line;
  return {
    kind,
    description: markText(description),
    reason: [describeLine(line), describeDiscounts(line), describeTax(line)].filter(Boolean).join(' '),
    periodStart,
    periodEnd,
    quantity,
    usage,
    amount,
    discounts,
    tax,
    figures: line.explanation,
  };
}

const describers: Record<string, (line: LineData) => string> = {
  cycle: (line) => `The price of a whole period, billed in advance${describePrice(line)}.`,
  stub: (line) => `The price of a part of a period${describePrice(line)}${describeShare(line)}.`,
  proration_charge: (line) =>
    `A change within the period: the new terms for the rest of it${describePrice(line)}${describeShare(line)}.`,
  proration_credit: (line) =>
    `A change within the period: the unused rest of what was billed in advance is credited${describeShare(line)}.`,
  setup_fee: () => 'The set-up fee of the price, charged once.',
  item: ({ quantity, unitAmount, amount }) =>
    unitAmount === null
      ? 'A one-off charge.'
      : `A one-off charge: ${quantity} × ${unitAmount} ${amount.currency}.`,
  balance: ({ amount }) =>
    amount.decimal.startsWith('-')
      ? 'Taken from the balance of the customer.'
      : 'Added to the balance of the customer.',
  usage: (line) => describeUsage(line),
};

const describeLine = (line: LineData): string =>
  describers[line.kind]?.(line) ?? `A line of the kind ${line.kind}.`;

/** The price by its model, where it depends on the quantity. */
function describePrice({ explanation, amount }: LineData): string {
  const { model, quantity, unitAmount, packageSize } = explanation;
  if (model === undefined) return '';
  if (unitAmount === undefined) return ` for ${quantity} units by the tiers of the price (${model})`;
  const per = packageSize === undefined ? '' : ` for each started package of ${packageSize}`;
  return ` for ${quantity} units at ${unitAmount} ${amount.currency}${per}`;
}

/** The part of the period, where it is not whole. */
function describeShare({ explanation: { remainingMs, totalMs } }: LineData): string {
  if (remainingMs === undefined || totalMs === undefined || remainingMs === totalMs) return '';
  return `, for ${formatDays(remainingMs)} of ${formatDays(totalMs)} days`;
}

const formatDays = (ms: number): string => String(Math.round((ms / dayMs) * 100) / 100);

const partSentences: Record<string, string> = {
  usage: 'What was used in the period',
  late: 'Usage that arrived after its period was billed',
  interim: 'What was used so far, billed because a threshold was reached',
  minimum: 'What is missing to the minimum of the price',
  commitment: 'What is missing to the agreed commitment',
  overage: 'What usage above the commitment costs more',
};

function describeUsage({ explanation, usage }: LineData): string {
  const { part = 'usage', includedUnits } = explanation;
  const units = usage === null ? '' : `: ${usage} units`;
  const free = includedUnits === undefined ? '' : `, of which up to ${includedUnits} are included`;
  return `${partSentences[part] ?? partSentences['usage']}${units}${free}.`;
}

function describeDiscounts({ discounts }: LineData): string {
  const [first] = discounts;
  if (!first) return '';
  return discounts.length === 1
    ? `A discount of ${first.amount.decimal} ${first.amount.currency} is deducted.`
    : `${discounts.length} discounts are deducted.`;
}

function describeTax({ tax }: LineData): string {
  if (!tax) return '';
  const { percent, included, amount, country, reason } = tax;
  const place = country === null ? '' : ` of ${country}`;
  const how = included ? 'is included in it' : 'is added';
  return `Tax${place} of ${percent} % (${reason}): ${amount.decimal} ${amount.currency} ${how}.`;
}
