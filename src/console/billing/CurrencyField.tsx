import type { SelectHTMLAttributes } from 'react';
import { Select, type FrameProps } from '../design/Field.tsx';
import { useCurrencies } from './currencies.ts';

type CurrencyFieldProps = FrameProps & SelectHTMLAttributes<HTMLSelectElement> & { value: string };

/** A choice of a currency. */
export function CurrencyField(props: CurrencyFieldProps) {
  return <Select choices={useCurrencies(props.value)} {...props} />;
}
