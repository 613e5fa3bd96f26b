import * as z from 'zod';
import type { Secret, Setting } from '../lib/settingSchemas.ts';
import type { ProviderAccount } from '../providers/account.ts';
import type { ProviderDescriptor } from '../providers/descriptor.ts';
import type { ChargingProvider } from '../providers/list.ts';

/** The settings of payment providers: `url` of `stripe` is `stripeUrl`, `--stripe-url` and `PERENNIAL_STRIPE_URL`. */
export type ProviderSetting = `${ChargingProvider}${Capitalize<string>}`;

type Descriptors = readonly ProviderDescriptor[];
type ReadSettings = Partial<Record<ProviderSetting, string>>;

const joinName = (provider: string, field: string) =>
  `${provider}${field[0]!.toUpperCase()}${field.slice(1)}` as ProviderSetting;

const toVariable = (name: string) => `PERENNIAL_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`;

const toFlag = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Declares the settings of payment providers: their addresses, and what the server's own accounts have besides secrets. */
export const declareProviderSettings = (providers: Descriptors): Record<ProviderSetting, Setting> =>
  Object.fromEntries(
    providers.flatMap(({ name: provider, addresses, settings }) => [
      ...Object.entries(addresses).map(([field, { schema, default: standard, help }]) => {
        const name = joinName(provider, field);
        return [
          name,
          { flag: `${toFlag(name)} <url>`, variable: toVariable(name), schema, default: standard, help },
        ];
      }),
      ...Object.entries(settings).map(([field, { form, serverForm = form, message, placeholder, help }]) => {
        const name = joinName(provider, field);
        const schema = z.string().regex(serverForm, message);
        const flag = `${toFlag(name)} <${placeholder}>`;
        return [name, { flag, variable: toVariable(name), schema, default: undefined, help }];
      }),
    ]),
  );

/** Declares the secrets of the server's own accounts. */
export const declareProviderSecrets = (providers: Descriptors): Record<ProviderSetting, Secret> =>
  Object.fromEntries(
    providers.flatMap(({ name: neededFor, secrets }) =>
      Object.entries(secrets).map(([field, { form, serverForm = form, message }]) => {
        const name = joinName(neededFor, field);
        const schema = z.string().regex(serverForm, message);
        return [name, { variable: toVariable(name), schema, neededFor }];
      }),
    ),
  );

/** Returns the addresses of a provider. */
export const readAddresses = (config: ReadSettings, { name, addresses }: ProviderDescriptor) =>
  pick(config, name, addresses);

/** Returns the server's own account at a provider. */
export const readServerAccount = (
  config: ReadSettings,
  { name, settings, secrets }: ProviderDescriptor,
): ProviderAccount => ({
  provider: name,
  settings: pick(config, name, settings),
  secrets: pick(config, name, secrets),
});

const pick = (config: ReadSettings, provider: string, fields: object): Record<string, string> =>
  Object.fromEntries(
    Object.keys(fields).flatMap((field) => {
      const value = config[joinName(provider, field)];
      return value === undefined ? [] : [[field, value]];
    }),
  );
