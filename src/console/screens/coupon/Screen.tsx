import { useState } from 'react';
import { Link } from 'wouter';
import { useRefusal } from '../../app/permissions.ts';
import { MetadataFacts } from '../../billing/Metadata.tsx';
import { texts as billingTexts } from '../../billing/texts.ts';
import { useScreenQuery, type Follows } from '../../data/query.tsx';
import { Button } from '../../design/Button.tsx';
import { Empty, Loaded } from '../../design/Feedback.tsx';
import { Columns, Facts, Figure, Page, Section } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { Table } from '../../design/Table.tsx';
import { texts as shared } from '../../design/texts.ts';
import { Id, Nothing, When } from '../../design/Values.tsx';
import { useCouponWords } from '../../texts/coupons.ts';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import { CouponDialog, type CouponAction } from './CouponDialogs.tsx';
import { CreateCode } from './CreateCode.tsx';
import { CouponQuery, type CodeData, type CouponData } from './query.ts';
import { texts } from './texts.ts';

const follows: Follows = { types: ['CouponEvent', 'PromotionCodeEvent', 'DiscountEvent'] };

/** One coupon: its terms, its promotion codes, and who redeemed it. */
export function Screen({ id }: { id: string }) {
  const t = useTexts(texts);
  const { writeCoupon } = useCouponWords();
  const refused = useRefusal('manage_catalog');
  const [after, setAfter] = useState<string>();
  const [action, setAction] = useState<CouponAction>();
  const result = useScreenQuery(CouponQuery, { id, after }, follows);
  const coupon = result.data?.coupon;
  const close = () => setAction(undefined);
  return (
    <Page
      title={coupon?.name ?? t.coupon}
      parent={{ href: '/coupons', title: t.coupons }}
      badge={coupon && <ActiveStatus active={coupon.active} />}
      subtitle={coupon && writeCoupon(coupon)}
      actions={
        coupon && (
          <>
            <Button refused={refused} onClick={() => setAction({ name: 'rename' })}>
              {t.rename}
            </Button>
            <Button refused={refused} onClick={() => setAction({ name: 'archive' })}>
              {coupon.active ? t.archive : t.restore}
            </Button>
          </>
        )
      }
      request={{ document: CouponQuery, variables: { id } }}
    >
      <Loaded result={result}>
        {({ coupon: found, promotionCodes }) =>
          found && (
            <Columns facts={<CouponFacts coupon={found} />}>
              <Codes coupon={found} codes={promotionCodes?.nodes ?? []} onChoose={setAction} />
              <Redemptions coupon={found} isFirst={after === undefined} onPage={setAfter} />
            </Columns>
          )
        }
      </Loaded>
      {coupon && action?.name === 'createCode' && (
        <CreateCode coupon={coupon} onClose={close} onDone={result.refetch} />
      )}
      {coupon && action && action.name !== 'createCode' && (
        <CouponDialog coupon={coupon} action={action} onClose={close} onDone={result.refetch} />
      )}
    </Page>
  );
}

function ActiveStatus({ active }: { active: boolean }) {
  const t = useTexts(texts);
  return <Status tone={active ? 'good' : 'neutral'}>{active ? t.active : t.inactive}</Status>;
}

function CouponFacts({ coupon }: { coupon: CouponData }) {
  const t = useTexts(texts);
  const format = useFormat();
  const { writeOff, writeDuration } = useCouponWords();
  const words = useTexts(billingTexts);
  const { id, lookupKey, products, maxRedemptions, timesRedeemed, redeemBy, createdAt } = coupon;
  return (
    <>
      <Figure
        name={t.redeemed}
        note={maxRedemptions === null ? undefined : t.ofMost(format.number(maxRedemptions))}
      >
        {format.number(timesRedeemed)}
      </Figure>
      <Facts
        facts={[
          [t.off, writeOff(coupon)],
          [t.duration, writeDuration(coupon)],
          [
            t.products,
            products?.map(({ id: productId, name }) => (
              <div key={productId}>
                <Link href={`/catalog/${productId}`}>{name}</Link>
              </div>
            )) ?? t.allProducts,
          ],
          [t.redeemBy, redeemBy ? <When at={redeemBy} as="time" /> : undefined],
          [t.id, <Id id={id} />],
          [words.lookupKey, lookupKey === null ? undefined : <Id id={lookupKey} />],
          [t.created, <When at={createdAt} />],
        ]}
      />
      <MetadataFacts of="coupon" record={coupon} />
    </>
  );
}

interface CodesProps {
  coupon: CouponData;
  codes: CodeData[];
  onChoose: (action: CouponAction) => void;
}

function Codes({ coupon, codes, onChoose }: CodesProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const refused = useRefusal('manage_catalog');
  const { writeCode } = useCouponWords();
  const add = (
    <Button icon="plus" refused={refused} onClick={() => onChoose({ name: 'createCode' })}>
      {t.createCode}
    </Button>
  );
  if (codes.length === 0)
    return (
      <Section title={t.codes}>
        <Empty title={t.noCodes} action={add}>
          {t.noCodesText}
        </Empty>
      </Section>
    );
  return (
    <Section title={t.codes} actions={add}>
      <Table
        caption={t.codes}
        rows={codes}
        rowKey={({ id }) => id}
        columns={[
          { header: t.code, cell: ({ code }) => <code dir="ltr">{code}</code> },
          { header: t.terms, cell: (code) => writeCode(coupon, code) },
          {
            header: t.customer,
            cell: ({ customer }) =>
              customer ? (
                <Link href={`/customers/${customer.id}`}>
                  <bdi>{nameCustomer(customer)}</bdi>
                </Link>
              ) : (
                t.everybody
              ),
          },
          {
            header: t.redeemed,
            align: 'end',
            cell: ({ timesRedeemed, maxRedemptions }) =>
              maxRedemptions === null ? (
                format.number(timesRedeemed)
              ) : (
                <bdi dir="ltr">{`${format.number(timesRedeemed)} / ${format.number(maxRedemptions)}`}</bdi>
              ),
          },
          { header: t.expires, cell: ({ expiresAt }) => <When at={expiresAt} /> },
          { header: t.status, cell: ({ active }) => <ActiveStatus active={active} /> },
          {
            header: t.actions,
            align: 'end',
            cell: (code) => (
              <Button look="quiet" refused={refused} onClick={() => onChoose({ name: 'switchCode', code })}>
                {code.active ? t.deactivate : t.activate}
              </Button>
            ),
          },
        ]}
      />
    </Section>
  );
}

interface RedemptionsProps {
  coupon: CouponData;
  isFirst: boolean;
  onPage: (after: string | undefined) => void;
}

function Redemptions({ coupon: { discounts }, isFirst, onPage }: RedemptionsProps) {
  const t = useTexts(texts);
  const words = useTexts(shared);
  const { nodes = [], pageInfo } = discounts ?? {};
  const next = pageInfo?.hasNextPage ? pageInfo.endCursor : undefined;
  return (
    <Section title={t.redemptions}>
      <Table
        caption={t.redemptions}
        rows={nodes}
        rowKey={({ id }) => id}
        empty={t.noRedemptions}
        columns={[
          {
            header: t.customer,
            cell: ({ customer }) =>
              customer ? (
                <Link href={`/customers/${customer.id}`}>
                  <bdi>{nameCustomer(customer)}</bdi>
                </Link>
              ) : (
                <Nothing />
              ),
          },
          {
            header: t.appliesTo,
            cell: ({ subscriptionId }) =>
              subscriptionId ? (
                <Link href={`/subscriptions/${subscriptionId}`}>{t.subscription}</Link>
              ) : (
                t.wholeCustomer
              ),
          },
          {
            header: t.code,
            cell: ({ promotionCode }) =>
              promotionCode ? <code dir="ltr">{promotionCode.code}</code> : <Nothing />,
          },
          {
            header: t.status,
            cell: ({ active, removedAt }) => (
              <Status tone={active ? 'good' : 'neutral'}>
                {active ? t.inForce : removedAt ? t.removed : t.usedUp}
              </Status>
            ),
          },
          { header: t.until, cell: ({ endsAt }) => <When at={endsAt} /> },
          { header: t.created, align: 'end', cell: ({ createdAt }) => <When at={createdAt} /> },
        ]}
      />
      {!isFirst && (
        <Button look="quiet" onClick={() => onPage(undefined)}>
          {words.newestFirst}
        </Button>
      )}
      {next && (
        <Button look="quiet" onClick={() => onPage(next)}>
          {words.showMore}
        </Button>
      )}
    </Section>
  );
}
