/** What each role may do: every root field of the schema, tried with every role. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/app/schema.ts';
import { grantingArguments, isServerOperation, operationPermissions } from '../../support/declarations.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import {
  keyPermissions,
  needsStepUp,
  permissionsByRole,
  roles,
  type Permission,
} from '../../../src/tenancy/permissions.ts';
import type { OperatorRole } from '../../../src/storage/model/operators.ts';
import { startApp, type Answer, type Client, type TestApp } from '../../support/app.ts';
import { engine } from '../../support/engines.ts';
import {
  graphqlRows,
  listAllRootFields,
  liveRows,
  operatorRows,
  writeDocument,
} from '../../support/operations.ts';
import { signInOperator, type TestOperator } from '../../support/operators.ts';
import { sampled, sampledInCore } from '../../support/sample.ts';
import { fillTenant, type World } from '../../support/world.ts';

const rootFields = listAllRootFields(schema);

const operations = rootFields
  .filter(({ name }) => !isServerOperation(name))
  .map((root) => ({
    ...root,
    needed: operationPermissions[root.name] as Permission,
    document: writeDocument(schema, root, 1),
    // Without a row there, the tests of tenancy fail.
    call: (world: World) => (operatorRows[root.name] ?? graphqlRows[root.name])?.call(world) ?? {},
  }));
/** What a role needs beside the permission of the operation, because the note and the request are those of an API key. */
const forNotesOfOthers: Partial<Record<string, Permission>> = {
  updateCustomerNote: 'manage_settings',
  deleteCustomerNote: 'manage_settings',
  approveActionRequest: 'credit',
  declineActionRequest: 'credit',
  withdrawActionRequest: 'manage_settings',
};
const tested = sampledInCore(sampled(operations, engine === 'postgres' ? 9 : 1), 5);

let offsetMs = 0;
const clock: Clock = { nowMs: () => Date.now() + offsetMs };
const stepUpMs = 10 * 60 * 1000;

let app: TestApp;
let world: World;
let key: Client;
const operators = {} as Record<OperatorRole, TestOperator>;

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '100000' }, { clock });
  key = await app.tenant({ alias: 'acme', test: true });
  world = await fillTenant(key, 'acme');
  for (const role of roles) operators[role] = await signInOperator(app, { role, tenant: 'acme' });
});
afterAll(() => app.close());

const getReason = ({ body }: Answer): string | undefined => body.errors?.[0]?.extensions.reason;
const refusals = new Set(['permission_missing', 'step_up_required', 'sign_in_required', 'tenant_missing']);

describe('the table', () => {
  it('has a row for every root field, and for nothing else', () => {
    const live = Object.keys(liveRows);
    const names = [...rootFields.map(({ name }) => name), ...live];
    expect(Object.keys(operationPermissions).toSorted()).toEqual([...new Set(names)].toSorted());
  });

  it('lets queries read, and no mutation by the permission to read', () => {
    for (const { name, kind } of rootFields) {
      if (kind === 'mutation') expect(operationPermissions[name], name).not.toBe('read');
      else
        expect(
          ['read', 'manage_operators', 'manage_keys', 'export_data', 'operator', 'public'],
          name,
        ).toContain(operationPermissions[name]);
    }
  });

  it('gives each role what the role below it has, but finance and support differ', () => {
    const [owner, admin, finance, support, viewer] = roles.map((role) => new Set(permissionsByRole[role]));
    expect(admin).toEqual(owner);
    for (const role of [finance!, support!]) {
      expect([...role].every((permission) => admin!.has(permission))).toBe(true);
      expect([...viewer!].every((permission) => role.has(permission))).toBe(true);
    }
    expect(support!.has('refund')).toBe(false);
    expect(finance!.has('manage_subscriptions')).toBe(false);
    for (const own of ['manage_operators', 'manage_keys']) expect(keyPermissions.write).not.toContain(own);
  });
});

describe.each(tested)('$kind $name', ({ name, kind, needed, document, call }) => {
  const refused = roles.filter((role) => !permissionsByRole[role].includes(needed));
  it.runIf(refused.length > 0)(
    'is refused to the roles without its permission, and changes nothing',
    async () => {
      const before = await app.backdoor.dump('acme');
      for (const role of refused) {
        const answer = await operators[role].post(document, call(world));
        expect(answer.body.errors?.[0]?.extensions, `${role}: ${answer.text}`).toMatchObject({
          reason: 'permission_missing',
          status: 403,
          issues: [{ path: 'permission', message: needed }],
        });
        expect(answer.body.data?.[name] ?? null).toBeNull();
      }
      expect(await app.backdoor.dump('acme')).toBe(before);
    },
  );

  it('needs a recent sign-in exactly if its permission does', async () => {
    offsetMs += stepUpMs;
    const answer = await operators.owner.post(document, call(world));
    const isRefused = getReason(answer) === 'step_up_required';
    // Over all operations the steps are longer than a session that nobody uses.
    for (const role of roles)
      operators[role] = await signInOperator(app, { role, tenant: 'acme', email: operators[role].email });
    expect(isRefused, answer.text).toBe(needsStepUp(needed, kind === 'mutation'));
  });

  it('is open to a role with it', async () => {
    // A call with arguments that grant more needs more.
    const granting = (grantingArguments[name] ?? []).map((argument) => argument.needed);
    const all = [needed, forNotesOfOthers[name] ?? needed, ...granting];
    const role = roles.findLast((each) => all.every((one) => permissionsByRole[each].includes(one)))!;
    const fresh = await signInOperator(app, { role, tenant: 'acme', email: operators[role].email });
    const reason = getReason(await fresh.post(document, call(world)));
    expect(refusals.has(reason ?? ''), reason).toBe(false);
  });
});

describe('an API key', () => {
  const ofPeople = operations.filter(({ name }) => name in operatorRows);
  it.each(ofPeople)('does not manage operators and keys: $name', async ({ document, call }) => {
    expect(getReason(await key.post(document, call(world)))).toBe('permission_missing');
  });

  it('is told its permissions', async () => {
    const reader = await app.key('acme', 'read');
    const query = '{ me { role operator { id } permissions } }';
    expect(await reader.graphql(query)).toEqual({
      me: { role: null, operator: null, permissions: ['read'] },
    });
    expect(await key.graphql(query)).toEqual({
      me: { role: null, operator: null, permissions: keyPermissions.write },
    });
    expect(await key.graphql('{ operator { id } }')).toEqual({ operator: null });
  });
});
