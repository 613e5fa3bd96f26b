/** The pages of customers who have signed in: the whole portal as a table. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PortalSettings } from '../../storage/model/common.ts';
import type { Permission } from '../../tenancy/permissions.ts';
import { acceptOffer, cancel, showCancelForm } from './cancel.ts';
import { saveDetails, showDetails } from './details.ts';
import { sendCreditNote, sendInvoice, showInvoices } from './invoices.ts';
import { addMethod, finishMethod, removeMethod, setDefaultMethod, showMethods } from './methods.ts';
import { showOverview } from './overview.ts';
import { abandonUnpaid, payUnpaid, resumeUnpaid } from './payments.ts';
import { changePlan, isPlanOn, showPlanForm, showPlanPreview } from './plan.ts';
import { showAccounts, signOut, switchAccount } from './signIn.ts';
import { applyCode, pause, resume, showSubscription, undoCancellation, undoChange } from './subscription.ts';
import type { CustomerVisit } from './visit.ts';

export interface PortalPageRoute {
  method: 'GET' | 'POST';
  /** Below `/portal/:alias`. A form has a token for this path, with its parameters. */
  path: string;
  /** Whether the settings include the page, which each request checks. */
  isOn?: (settings: PortalSettings) => boolean;
  /** What an operator needs for the same act. The session of a link may lack it, because its maker does. */
  needs?: Permission;
  /** The page that has the form, if it is not the next one above. */
  formAt?: string;
  /** Whether the page verifies the token itself, because it is bound to more than the path. */
  checksToken?: true;
  handle: (visit: CustomerVisit) => FastifyReply | Promise<FastifyReply>;
}

const canCancel = ({ cancellation }: PortalSettings) => cancellation !== 'off';
const hasMethods = ({ paymentMethods }: PortalSettings) => paymentMethods;
const methods = '/payment-methods';
const subscription = '/subscriptions/:id';
const invoice = '/invoices/:id';

const changes = 'manage_subscriptions';
const pays = 'manage_invoices';

/** The first is the overview, which is served at the root of the portal. */
export const portalPages: PortalPageRoute[] = [
  { method: 'GET', path: '/subscriptions', handle: showOverview },
  { method: 'GET', path: subscription, handle: showSubscription },
  {
    method: 'GET',
    path: `${subscription}/plan`,
    isOn: isPlanOn,
    needs: changes,
    handle: showPlanForm,
  },
  {
    method: 'GET',
    path: `${subscription}/plan/preview`,
    isOn: isPlanOn,
    needs: changes,
    handle: showPlanPreview,
  },
  {
    method: 'POST',
    path: `${subscription}/plan`,
    isOn: isPlanOn,
    needs: changes,
    checksToken: true,
    handle: changePlan,
  },
  { method: 'POST', path: `${subscription}/undo-change`, needs: changes, handle: undoChange },
  { method: 'GET', path: `${subscription}/cancel`, isOn: canCancel, needs: changes, handle: showCancelForm },
  { method: 'POST', path: `${subscription}/cancel`, isOn: canCancel, needs: changes, handle: cancel },
  { method: 'POST', path: `${subscription}/offer`, isOn: canCancel, needs: 'credit', handle: acceptOffer },
  { method: 'POST', path: `${subscription}/undo-cancel`, needs: changes, handle: undoCancellation },
  {
    method: 'POST',
    path: `${subscription}/pause`,
    isOn: (settings) => settings.pause,
    needs: changes,
    handle: pause,
  },
  {
    method: 'POST',
    path: `${subscription}/resume`,
    isOn: (settings) => settings.pause,
    needs: changes,
    handle: resume,
  },
  {
    method: 'POST',
    path: `${subscription}/code`,
    isOn: (settings) => settings.promotionCodes,
    needs: 'credit',
    handle: applyCode,
  },
  { method: 'GET', path: methods, isOn: hasMethods, handle: showMethods },
  { method: 'POST', path: methods, isOn: hasMethods, needs: 'manage_customers', handle: addMethod },
  {
    method: 'GET',
    path: `${methods}/return`,
    isOn: hasMethods,
    needs: 'manage_customers',
    handle: finishMethod,
  },
  {
    method: 'POST',
    path: `${methods}/:id/default`,
    isOn: hasMethods,
    needs: 'manage_customers',
    handle: setDefaultMethod,
  },
  {
    method: 'POST',
    path: `${methods}/:id/remove`,
    isOn: hasMethods,
    needs: 'manage_customers',
    handle: removeMethod,
  },
  { method: 'GET', path: '/invoices', isOn: (settings) => settings.invoices, handle: showInvoices },
  { method: 'POST', path: `${invoice}/pay`, formAt: '', needs: pays, handle: payUnpaid },
  { method: 'GET', path: `${invoice}/return`, needs: pays, handle: resumeUnpaid },
  { method: 'POST', path: `${invoice}/resume`, formAt: '', needs: pays, handle: resumeUnpaid },
  { method: 'POST', path: `${invoice}/abandon`, formAt: '', needs: pays, handle: abandonUnpaid },
  {
    method: 'GET',
    path: '/invoices/:id/:format',
    isOn: (settings) => settings.invoices,
    handle: sendInvoice,
  },
  {
    method: 'GET',
    path: '/credit-notes/:id/:format',
    isOn: (settings) => settings.invoices,
    handle: sendCreditNote,
  },
  {
    method: 'GET',
    path: '/details',
    isOn: (settings) => settings.details,
    handle: showDetails,
  },
  {
    method: 'POST',
    path: '/details',
    isOn: (settings) => settings.details,
    needs: 'manage_customers',
    handle: saveDetails,
  },
  { method: 'GET', path: '/accounts', handle: showAccounts },
  { method: 'POST', path: '/accounts/:id', handle: switchAccount },
  { method: 'POST', path: '/sign-out', handle: signOut },
];

/** Returns the path, below the portal, of the page that has the form which was sent; the overview for visitors. */
export function findFormPath({ url, routeOptions }: FastifyRequest): string {
  const [pattern, sent] = [routeOptions.url ?? '', url.split('?')[0]!].map((path) =>
    path.split('/').slice(3),
  );
  const route = portalPages.find(
    ({ method, path }) => method === 'POST' && path === `/${pattern!.join('/')}`,
  );
  if (route?.formAt !== undefined || !route) return route?.formAt ?? '';
  for (let length = pattern!.length; length > 0; length -= 1) {
    const path = `/${pattern!.slice(0, length).join('/')}`;
    if (portalPages.some((page) => page.method === 'GET' && page.path === path))
      return `/${sent!.slice(0, length).join('/')}`;
  }
  return '';
}
