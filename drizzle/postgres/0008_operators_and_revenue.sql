CREATE TABLE "operators" (
	"id" text collate "C" NOT NULL,
	"email" text collate "C" NOT NULL,
	"name" text collate "C",
	"password_hash" text collate "C",
	"totp_secret" text collate "C",
	"pending_totp_secret" text collate "C",
	"totp_step" bigint,
	"recovery_codes" json,
	"confirmed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "operators_id_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "operator_links" (
	"id" text collate "C" NOT NULL,
	"operator_id" text collate "C" NOT NULL,
	"token_hash" text collate "C" NOT NULL,
	"confirms" boolean NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "operator_links_id_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "operator_sessions" (
	"id" text collate "C" NOT NULL,
	"operator_id" text collate "C" NOT NULL,
	"token_hash" text collate "C" NOT NULL,
	"verified_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"user_agent" text collate "C",
	"address" text collate "C",
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "operator_sessions_id_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "operator_passkeys" (
	"id" text collate "C" NOT NULL,
	"operator_id" text collate "C" NOT NULL,
	"credential_id" text collate "C" NOT NULL,
	"public_key" text collate "C" NOT NULL,
	"counter" bigint NOT NULL,
	"transports" json NOT NULL,
	"is_backed_up" boolean NOT NULL,
	"name" text collate "C" NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "operator_passkeys_id_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "operator_challenges" (
	"id" text collate "C" NOT NULL,
	"purpose" text collate "C" NOT NULL,
	"operator_id" text collate "C",
	"expected" json NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "operator_challenges_id_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "method_detachments" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"provider" text collate "C" NOT NULL,
	"reference" text collate "C" NOT NULL,
	"attempts" bigint NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "method_detachments_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "mrr_movements" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"subscription_id" text collate "C" NOT NULL,
	"currency" text collate "C" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"kind" text collate "C" NOT NULL,
	"amount_minor" bigint NOT NULL,
	"mrr_after_minor" bigint NOT NULL,
	"subscriptions" bigint NOT NULL,
	"definitions" bigint NOT NULL,
	"is_standard" boolean NOT NULL,
	"cohort_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "mrr_movements_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "revenue_sums" (
	"tenant_alias" text collate "C" NOT NULL,
	"currency" text collate "C" NOT NULL,
	"span" text collate "C" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"invoiced_minor" bigint NOT NULL,
	"paid_minor" bigint NOT NULL,
	"refunded_minor" bigint NOT NULL,
	"credited_minor" bigint NOT NULL,
	"failed_count" bigint NOT NULL,
	"failed_minor" bigint NOT NULL,
	"recovered_count" bigint NOT NULL,
	"recovered_minor" bigint NOT NULL,
	"trials_started" bigint NOT NULL,
	"trials_converted" bigint NOT NULL,
	"trials_lost" bigint NOT NULL,
	CONSTRAINT "revenue_sums_tenant_alias_currency_span_at_pk" PRIMARY KEY("tenant_alias","currency","span","at")
);
--> statement-breakpoint
CREATE TABLE "operator_memberships" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"role" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "operator_memberships_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "revenue_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "mrr" json;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "retries_ended_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "access_ended_for" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "invoice_lines" ADD COLUMN "tax_behavior" text collate "C";--> statement-breakpoint
ALTER TABLE "operator_links" ADD CONSTRAINT "operator_links_operator_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_sessions" ADD CONSTRAINT "operator_sessions_operator_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_passkeys" ADD CONSTRAINT "operator_passkeys_operator_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "method_detachments" ADD CONSTRAINT "method_detachments_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mrr_movements" ADD CONSTRAINT "mrr_movements_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "revenue_sums" ADD CONSTRAINT "revenue_sums_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_memberships" ADD CONSTRAINT "operator_memberships_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_memberships" ADD CONSTRAINT "operator_memberships_id_fk" FOREIGN KEY ("id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "operators_email" ON "operators" USING btree ("email");--> statement-breakpoint
CREATE UNIQUE INDEX "operator_links_token" ON "operator_links" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "operator_links_operator" ON "operator_links" USING btree ("operator_id");--> statement-breakpoint
CREATE INDEX "operator_links_expiry" ON "operator_links" USING btree ("expires_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "operator_sessions_token" ON "operator_sessions" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "operator_sessions_operator" ON "operator_sessions" USING btree ("operator_id","created_at","id");--> statement-breakpoint
CREATE INDEX "operator_sessions_expiry" ON "operator_sessions" USING btree ("expires_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "operator_passkeys_credential" ON "operator_passkeys" USING btree ("credential_id");--> statement-breakpoint
CREATE INDEX "operator_passkeys_operator" ON "operator_passkeys" USING btree ("operator_id","created_at","id");--> statement-breakpoint
CREATE INDEX "operator_challenges_expiry" ON "operator_challenges" USING btree ("expires_at","id");--> statement-breakpoint
CREATE INDEX "method_detachments_due" ON "method_detachments" USING btree ("tenant_alias","due_at","id");--> statement-breakpoint
CREATE INDEX "mrr_movements_sums" ON "mrr_movements" USING btree ("tenant_alias","currency","at","kind","definitions","cohort_at","amount_minor","subscriptions");--> statement-breakpoint
CREATE INDEX "mrr_movements_at" ON "mrr_movements" USING btree ("tenant_alias","is_standard","at","id");--> statement-breakpoint
CREATE INDEX "mrr_movements_kind" ON "mrr_movements" USING btree ("tenant_alias","is_standard","kind","at","id");--> statement-breakpoint
CREATE INDEX "mrr_movements_customer" ON "mrr_movements" USING btree ("tenant_alias","customer_id","at","id");--> statement-breakpoint
CREATE INDEX "operator_memberships_operator" ON "operator_memberships" USING btree ("id","tenant_alias");--> statement-breakpoint
CREATE INDEX "operator_memberships_created" ON "operator_memberships" USING btree ("tenant_alias","created_at","id");--> statement-breakpoint
CREATE INDEX "operator_memberships_role" ON "operator_memberships" USING btree ("tenant_alias","role","id");--> statement-breakpoint
CREATE INDEX "subscriptions_grace" ON "subscriptions" USING btree ("tenant_alias","past_due_since","id") WHERE past_due_since is not null and cancelled_at is null and paused_at is null and (access_ended_for is null or access_ended_for <> past_due_since);