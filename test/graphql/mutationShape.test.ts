/** One shape of all mutations: `input` alone, or `id` and `input`; money is MoneyInput; what is shown once is `Created…`. */
import {
  getNamedType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  type GraphQLField,
} from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../src/app/schema.ts';

const mutations = Object.values(schema.getMutationType()!.getFields());
const findInput = ({ args }: GraphQLField<unknown, unknown>) => args.find(({ name }) => name === 'input');

it.each(mutations.map((field) => [field.name, field] as const))('%s', (name, field) => {
  const names = field.args.map((argument) => argument.name).toSorted();
  expect([[], ['id'], ['input'], ['id', 'input']]).toContainEqual(names);
  const id = field.args.find((argument) => argument.name === 'id');
  if (id) expect(String(id.type)).toBe('ID!');
  const input = findInput(field);
  if (!input) return;
  const type = getNamedType(input.type);
  expect(type.name).toBe(`${name[0]!.toUpperCase()}${name.slice(1)}Input`);
  if (!isInputObjectType(type)) expect.fail(`${type.name} is no input`);
  // A creation and a change say nothing without their input.
  const isNeeded = !id || /^(update|change)/.test(name);
  const hasRequired = Object.values(type.getFields()).some(isRequiredInputField);
  expect(isNonNullType(input.type)).toBe(isNeeded || hasRequired);
});

it('takes amounts as MoneyInput alone', () => {
  const inputs = Object.values(schema.getTypeMap()).filter(isInputObjectType);
  const fields = inputs.flatMap((type) =>
    Object.values(type.getFields()).map((field) => ({ path: `${type.name}.${field.name}`, field })),
  );
  const floats = fields.filter(({ field }) => getNamedType(field.type).name === 'Float');
  expect(floats.map(({ path }) => path).toSorted()).toEqual([
    'MoneyChangesInput.amount',
    'MoneyInput.amount',
  ]);
  const amounts = fields.filter(
    ({ field }) => field.name === 'amount' && !floats.some((one) => one.field === field),
  );
  expect(amounts.length).toBeGreaterThan(5);
  // Amounts of a feature are units, those of a credit type are credits.
  const units = [
    'ConsumeEntitlementInput',
    'ReserveEntitlementInput',
    'SettleReservationInput',
    'CreditAmountInput',
    'AutoTopUpCreditsInput',
  ];
  for (const { path, field } of amounts)
    expect(getNamedType(field.type).name, path).toBe(
      units.includes(path.split('.')[0]!) ? 'Decimal' : 'MoneyInput',
    );
  expect(fields.filter(({ path }) => /minor/i.test(path))).toEqual([]);
});

it('returns the object itself; what is shown once is Created…, and no query returns it', () => {
  const results = mutations.map(({ type }) => getNamedType(type)).filter(isObjectType);
  const once = results.filter(({ description }) =>
    /\bnew\b|to pass on|to set up|session/i.test(description ?? ''),
  );
  // What became of many events has no object of its own.
  const called = results.map(({ name }) => name).filter((name) => /(Payload|Result|Response)$/.test(name));
  expect([...new Set(called)]).toEqual(['RecordUsageResult']);
  expect(once.length).toBeGreaterThan(0);
  const shown = new Set<string>();
  const visit = (type: unknown) => {
    const named = getNamedType(type as never) as never;
    if (!isObjectType(named) || shown.has((named as { name: string }).name)) return;
    shown.add((named as { name: string }).name);
    for (const field of Object.values(
      (named as { getFields(): Record<string, { type: unknown }> }).getFields(),
    ))
      visit(field.type);
  };
  visit(schema.getQueryType());
  const created = results.filter(({ name }) => name.startsWith('Created'));
  expect(created.length).toBeGreaterThan(4);
  for (const { name } of created) expect(shown.has(name), name).toBe(false);
});
