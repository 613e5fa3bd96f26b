import type { SelectHTMLAttributes } from 'react';
import { Select, type FrameProps } from '../design/Field.tsx';
import { useCountries } from './countries.ts';

type CountryFieldProps = FrameProps &
  SelectHTMLAttributes<HTMLSelectElement> & {
    value: string;
    /** The choice of no country. */
    none?: string | undefined;
  };

/** A choice of a country by its name. */
export function CountryField({ none, ...props }: CountryFieldProps) {
  return <Select choices={useCountries(props.value, none)} {...props} />;
}
