import type { Amount } from '../../texts/format.ts';
import { Money } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';

/** An amount of credit: of money, or of a number of credits of a type. */
export interface CreditAmountProps {
  amount: Amount | null;
  credits: string | null;
  creditType: { name: string } | null;
}

/** Shows an amount of money, or of credits of a type. */
export function CreditAmount({ amount, credits, creditType }: CreditAmountProps) {
  const write = useWriteCredit();
  return amount ? <Money amount={amount} /> : <bdi>{write({ amount, credits, creditType })}</bdi>;
}

/** Returns a function that writes an amount of money, or of credits of a type. */
export function useWriteCredit() {
  const format = useFormat();
  return ({ amount, credits, creditType }: CreditAmountProps): string =>
    amount
      ? format.money(amount)
      : `${format.number(Number(credits), { maximumFractionDigits: 6 })} ${creditType?.name ?? ''}`;
}
