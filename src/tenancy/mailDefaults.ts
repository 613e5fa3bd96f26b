import type { MailSettings } from '../storage/model/common.ts';

/** The settings of mails of a tenant that has stored none. */
export const defaultMailSettings: MailSettings = {
  ownServer: false,
  fromName: null,
  replyTo: null,
  testRecipient: null,
  disabledKinds: [],
  enabledKinds: [],
  renewalNoticeDays: 30,
};

/** The settings of a new tenant. Tenants of releases without these kinds send them only once they are switched on. */
export const newTenantMail: MailSettings = {
  ...defaultMailSettings,
  enabledKinds: ['refund', 'credit_note', 'usage_alert', 'spend_alert', 'credit_alert'],
};
