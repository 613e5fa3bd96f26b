CREATE TABLE "accounts" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"settings" json NOT NULL,
	"secrets" text collate "C" NOT NULL,
	"failed_at" timestamp (3) with time zone,
	"failure" text collate "C",
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "accounts_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "mail_templates" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"language" text collate "C" NOT NULL,
	"subject" text collate "C" NOT NULL,
	"body" text collate "C",
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "mail_templates_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "mail_deliveries" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"customer_id" text collate "C",
	"recipient" text collate "C" NOT NULL,
	"language" text collate "C" NOT NULL,
	"event_id" text collate "C",
	"data" json NOT NULL,
	"subject" text collate "C",
	"message_id" text collate "C" NOT NULL,
	"chain" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"attempt" bigint NOT NULL,
	"tries" json NOT NULL,
	"due_at" timestamp (3) with time zone,
	"claimed_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "mail_deliveries_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "portal_sessions" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"link_hash" text collate "C",
	"link_expires_at" timestamp (3) with time zone,
	"link_used_at" timestamp (3) with time zone,
	"session_hash" text collate "C",
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"flow" json,
	"return_url" text collate "C",
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "portal_sessions_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "portal_codes" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"email_hash" text collate "C" NOT NULL,
	"code_hash" text collate "C" NOT NULL,
	"attempts" bigint NOT NULL,
	"used_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "portal_codes_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "vat_id_check" text collate "C";--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "branding" json;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "portal" json;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "dunning" json;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "mail" json;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "vat_id_check" json;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "vat_id_check_due_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "default_payment_method_id" text collate "C";--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "mail_blocked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "mail_blocked_reason" text collate "C";--> statement-breakpoint
ALTER TABLE "payment_methods" ADD COLUMN "type" text collate "C";--> statement-breakpoint
ALTER TABLE "payment_methods" ADD COLUMN "brand" text collate "C";--> statement-breakpoint
ALTER TABLE "payment_methods" ADD COLUMN "last4" text collate "C";--> statement-breakpoint
ALTER TABLE "payment_methods" ADD COLUMN "fingerprint" text collate "C";--> statement-breakpoint
ALTER TABLE "payment_methods" ADD COLUMN "expires_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "payment_methods" ADD COLUMN "expiry_announced_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "payment_methods" ADD COLUMN "removed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "payment_methods" ADD COLUMN "updated_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "cancellation_reason" text collate "C";--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "cancellation_comment" text collate "C";--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "renewal_announced_for" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "retries_stopped_reason" text collate "C";--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "remind_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_templates" ADD CONSTRAINT "mail_templates_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_deliveries" ADD CONSTRAINT "mail_deliveries_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "portal_sessions" ADD CONSTRAINT "portal_sessions_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "portal_codes" ADD CONSTRAINT "portal_codes_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "mail_templates_kind" ON "mail_templates" USING btree ("tenant_alias","kind","language");--> statement-breakpoint
CREATE INDEX "mail_templates_created" ON "mail_templates" USING btree ("tenant_alias","created_at","id");--> statement-breakpoint
CREATE INDEX "mail_deliveries_due" ON "mail_deliveries" USING btree ("tenant_alias","due_at","id") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "mail_deliveries_chain" ON "mail_deliveries" USING btree ("tenant_alias","chain","id") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "mail_deliveries_created" ON "mail_deliveries" USING btree ("tenant_alias","created_at","id");--> statement-breakpoint
CREATE INDEX "mail_deliveries_customer" ON "mail_deliveries" USING btree ("tenant_alias","customer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "mail_deliveries_status" ON "mail_deliveries" USING btree ("tenant_alias","status","created_at","id");--> statement-breakpoint
CREATE INDEX "mail_deliveries_kind" ON "mail_deliveries" USING btree ("tenant_alias","kind","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "mail_deliveries_message" ON "mail_deliveries" USING btree ("tenant_alias","message_id");--> statement-breakpoint
CREATE UNIQUE INDEX "mail_deliveries_event" ON "mail_deliveries" USING btree ("tenant_alias","event_id","kind") WHERE event_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "portal_sessions_link" ON "portal_sessions" USING btree ("tenant_alias","link_hash") WHERE link_hash is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "portal_sessions_session" ON "portal_sessions" USING btree ("tenant_alias","session_hash") WHERE session_hash is not null;--> statement-breakpoint
CREATE INDEX "portal_sessions_customer" ON "portal_sessions" USING btree ("tenant_alias","customer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "portal_sessions_expiry" ON "portal_sessions" USING btree ("tenant_alias","expires_at","id");--> statement-breakpoint
CREATE INDEX "portal_codes_email" ON "portal_codes" USING btree ("tenant_alias","email_hash","created_at","id");--> statement-breakpoint
CREATE INDEX "portal_codes_expiry" ON "portal_codes" USING btree ("tenant_alias","expires_at","id");--> statement-breakpoint
CREATE INDEX "customers_vat_id_check" ON "customers" USING btree ("tenant_alias","vat_id_check_due_at","id") WHERE vat_id_check_due_at is not null;--> statement-breakpoint
CREATE INDEX "payment_methods_expiry" ON "payment_methods" USING btree ("tenant_alias","expires_at","id") WHERE expires_at is not null and expiry_announced_at is null and removed_at is null;--> statement-breakpoint
CREATE INDEX "subscriptions_renewals" ON "subscriptions" USING btree ("tenant_alias","next_billing_date","id") WHERE (frequency = 'Yearly' or (frequency = 'Monthly' and period >= 6)) and billed_count > 0 and cancelled_at is null and paused_at is null and parked_reason is null and not cancel_at_period_end and (cancel_at is null or cancel_at > next_billing_date) and (renewal_announced_for is null or renewal_announced_for <> next_billing_date);--> statement-breakpoint
CREATE INDEX "invoices_reminders" ON "invoices" USING btree ("tenant_alias","remind_at","id") WHERE status = 'open' and remind_at is not null;