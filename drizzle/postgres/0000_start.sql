CREATE TABLE "api_keys" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"secret_hash" text collate "C" NOT NULL,
	"scope" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "api_keys_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "balance_entries" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"currency" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"amount_minor" bigint NOT NULL,
	"remaining_minor" bigint NOT NULL,
	"credit_id" text collate "C",
	"invoice_id" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "balance_entries_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "customers" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"associated_id" text collate "C" NOT NULL,
	"first_name" text collate "C" NOT NULL,
	"last_name" text collate "C" NOT NULL,
	"email" text collate "C" NOT NULL,
	"metadata" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "customers_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "groups" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"metadata" json NOT NULL,
	"prorate_upgrades" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "groups_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "idempotency" (
	"tenant_alias" text collate "C" NOT NULL,
	"idempotency_key" text collate "C" NOT NULL,
	"field" text collate "C" NOT NULL,
	"request_hash" text collate "C" NOT NULL,
	"outcome" text collate "C",
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_tenant_alias_idempotency_key_field_pk" PRIMARY KEY("tenant_alias","idempotency_key","field")
);
--> statement-breakpoint
CREATE TABLE "intents" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"product_id" text collate "C" NOT NULL,
	"price_id" text collate "C" NOT NULL,
	"group_id" text collate "C",
	"product_name" text collate "C" NOT NULL,
	"amount_minor" bigint NOT NULL,
	"currency" text collate "C" NOT NULL,
	"frequency" text collate "C" NOT NULL,
	"period" bigint NOT NULL,
	"execution_date" timestamp (3) with time zone,
	"status" text collate "C" NOT NULL,
	"receipt_url" text collate "C" NOT NULL,
	"return_url" text collate "C",
	"order_number" text collate "C",
	"request_hash" text collate "C" NOT NULL,
	"start_date" timestamp (3) with time zone,
	"reason" text collate "C",
	"attempts" bigint NOT NULL,
	"provider" text collate "C",
	"payment_method" text collate "C",
	"payment_started_at" timestamp (3) with time zone,
	"due_minor" bigint,
	"asked_at" timestamp (3) with time zone,
	"action_url" text collate "C",
	"payment_reference" text collate "C",
	"changes_subscription_id" text collate "C",
	"prorated" boolean NOT NULL,
	"subscription_id" text collate "C",
	"failure_reason" text collate "C",
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "intents_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "invoice_lines" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"invoice_id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"product_name" text collate "C" NOT NULL,
	"description" text collate "C" NOT NULL,
	"amount_minor" bigint NOT NULL,
	"currency" text collate "C" NOT NULL,
	"period_start" timestamp (3) with time zone NOT NULL,
	"period_end" timestamp (3) with time zone NOT NULL,
	"explanation" json NOT NULL,
	"paid_at" timestamp (3) with time zone,
	CONSTRAINT "invoice_lines_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "invoices" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"number" bigint NOT NULL,
	"subscription_id" text collate "C",
	"intent_id" text collate "C",
	"customer_id" text collate "C" NOT NULL,
	"billing_reason" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"currency" text collate "C" NOT NULL,
	"total_minor" bigint NOT NULL,
	"refunded_minor" bigint NOT NULL,
	"cycle_start" timestamp (3) with time zone NOT NULL,
	"cycle_end" timestamp (3) with time zone NOT NULL,
	"attempts" bigint NOT NULL,
	"first_tried_at" timestamp (3) with time zone,
	"charge_started_at" timestamp (3) with time zone,
	"charge_provider" text collate "C",
	"charge_method" text collate "C",
	"paid_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "invoices_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "payment_methods" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"provider" text collate "C" NOT NULL,
	"reference" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "payment_methods_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "payments" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"intent_id" text collate "C",
	"invoice_id" text collate "C",
	"provider" text collate "C" NOT NULL,
	"reference" text collate "C",
	"kind" text collate "C" NOT NULL,
	"charge_id" text collate "C",
	"status" text collate "C" NOT NULL,
	"amount_minor" bigint NOT NULL,
	"currency" text collate "C" NOT NULL,
	"failure_reason" text collate "C",
	"received_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "payments_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "prices" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"product_id" text collate "C" NOT NULL,
	"amount_minor" bigint NOT NULL,
	"currency" text collate "C" NOT NULL,
	"frequency" text collate "C" NOT NULL,
	"period" bigint NOT NULL,
	"execution_date" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "prices_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "products" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"group_id" text collate "C",
	"name" text collate "C" NOT NULL,
	"description" text collate "C" NOT NULL,
	"active" boolean NOT NULL,
	"metadata" json NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "products_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"payment_intent_id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"group_id" text collate "C",
	"product_id" text collate "C" NOT NULL,
	"price_id" text collate "C" NOT NULL,
	"product_name" text collate "C" NOT NULL,
	"amount_minor" bigint NOT NULL,
	"currency" text collate "C" NOT NULL,
	"frequency" text collate "C" NOT NULL,
	"period" bigint NOT NULL,
	"anchor" timestamp (3) with time zone NOT NULL,
	"payment_method_id" text collate "C",
	"starts_at" timestamp (3) with time zone NOT NULL,
	"first_billing_date" timestamp (3) with time zone NOT NULL,
	"next_billing_date" timestamp (3) with time zone,
	"current_period_start" timestamp (3) with time zone,
	"current_period_end" timestamp (3) with time zone,
	"billed_count" bigint NOT NULL,
	"due_at" timestamp (3) with time zone,
	"claimed_until" timestamp (3) with time zone,
	"open_invoice_id" text collate "C",
	"past_due_since" timestamp (3) with time zone,
	"paused_at" timestamp (3) with time zone,
	"cancel_at_period_end" boolean NOT NULL,
	"next_intent_id" text collate "C",
	"changing_intent_id" text collate "C",
	"parked_reason" text collate "C",
	"metadata" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"cancelled_at" timestamp (3) with time zone,
	CONSTRAINT "subscriptions_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "tenants" (
	"alias" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"timezone" text collate "C" NOT NULL,
	"test" boolean NOT NULL,
	"clock_at" timestamp (3) with time zone,
	"cursor_secret" text collate "C" NOT NULL,
	"retry_days" json NOT NULL,
	"has_webhooks" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "tenants_alias_pk" PRIMARY KEY("alias")
);
--> statement-breakpoint
CREATE TABLE "traces" (
	"tenant_alias" text collate "C" NOT NULL,
	"event_id" text collate "C" NOT NULL,
	"trace_id" text collate "C" NOT NULL,
	"parent_id" text collate "C",
	"is_root" boolean NOT NULL,
	"executor_id" text collate "C" NOT NULL,
	"activity_type" text collate "C" NOT NULL,
	"payload" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "traces_tenant_alias_event_id_pk" PRIMARY KEY("tenant_alias","event_id")
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"endpoint_id" text collate "C" NOT NULL,
	"event_id" text collate "C" NOT NULL,
	"type" text collate "C" NOT NULL,
	"chain" text collate "C" NOT NULL,
	"sequence" bigint NOT NULL,
	"status" text collate "C" NOT NULL,
	"attempt" bigint NOT NULL,
	"tries" json NOT NULL,
	"due_at" timestamp (3) with time zone,
	"claimed_until" timestamp (3) with time zone,
	"body" text collate "C",
	"created_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "webhook_deliveries_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"url" text collate "C" NOT NULL,
	"description" text collate "C" NOT NULL,
	"events" json NOT NULL,
	"query" text collate "C",
	"active" boolean NOT NULL,
	"disabled_reason" text collate "C",
	"secret" text collate "C" NOT NULL,
	"previous_secret" text collate "C",
	"previous_secret_until" timestamp (3) with time zone,
	"last_sequence" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "webhook_endpoints_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "balance_entries" ADD CONSTRAINT "balance_entries_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "balance_entries" ADD CONSTRAINT "balance_entries_invoice_id_fk" FOREIGN KEY ("tenant_alias","invoice_id") REFERENCES "public"."invoices"("tenant_alias","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "customers" ADD CONSTRAINT "customers_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "groups" ADD CONSTRAINT "groups_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency" ADD CONSTRAINT "idempotency_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "intents" ADD CONSTRAINT "intents_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invoice_lines" ADD CONSTRAINT "invoice_lines_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invoice_lines" ADD CONSTRAINT "invoice_lines_invoice_id_fk" FOREIGN KEY ("tenant_alias","invoice_id") REFERENCES "public"."invoices"("tenant_alias","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_subscription_id_fk" FOREIGN KEY ("tenant_alias","subscription_id") REFERENCES "public"."subscriptions"("tenant_alias","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payment_methods" ADD CONSTRAINT "payment_methods_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prices" ADD CONSTRAINT "prices_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "prices" ADD CONSTRAINT "prices_product_id_fk" FOREIGN KEY ("tenant_alias","product_id") REFERENCES "public"."products"("tenant_alias","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "products" ADD CONSTRAINT "products_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "products" ADD CONSTRAINT "products_group_id_fk" FOREIGN KEY ("tenant_alias","group_id") REFERENCES "public"."groups"("tenant_alias","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "traces" ADD CONSTRAINT "traces_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "balance_entries_customer" ON "balance_entries" USING btree ("tenant_alias","customer_id","currency","id");--> statement-breakpoint
CREATE INDEX "balance_entries_invoice" ON "balance_entries" USING btree ("tenant_alias","invoice_id","id");--> statement-breakpoint
CREATE INDEX "balance_entries_credit" ON "balance_entries" USING btree ("tenant_alias","credit_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "customers_associated" ON "customers" USING btree ("tenant_alias","associated_id");--> statement-breakpoint
CREATE INDEX "customers_created" ON "customers" USING btree ("tenant_alias","created_at","id");--> statement-breakpoint
CREATE INDEX "groups_created" ON "groups" USING btree ("tenant_alias","created_at","id");--> statement-breakpoint
CREATE INDEX "idempotency_created" ON "idempotency" USING btree ("tenant_alias","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "intents_order" ON "intents" USING btree ("tenant_alias","order_number") WHERE order_number is not null;--> statement-breakpoint
CREATE INDEX "intents_by_id" ON "intents" USING btree ("id");--> statement-breakpoint
CREATE INDEX "intents_expiry" ON "intents" USING btree ("tenant_alias","status","expires_at");--> statement-breakpoint
CREATE INDEX "intents_asked" ON "intents" USING btree ("tenant_alias","asked_at","id") WHERE asked_at is not null;--> statement-breakpoint
CREATE INDEX "intents_customer" ON "intents" USING btree ("tenant_alias","customer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "invoice_lines_invoice" ON "invoice_lines" USING btree ("tenant_alias","invoice_id","id");--> statement-breakpoint
CREATE INDEX "invoice_lines_history" ON "invoice_lines" USING btree ("tenant_alias","customer_id","period_start","id") WHERE paid_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "invoices_number" ON "invoices" USING btree ("tenant_alias","number");--> statement-breakpoint
CREATE UNIQUE INDEX "invoices_cycle" ON "invoices" USING btree ("tenant_alias","subscription_id","cycle_start") WHERE billing_reason <> 'plan_change';--> statement-breakpoint
CREATE INDEX "invoices_subscription" ON "invoices" USING btree ("tenant_alias","subscription_id","created_at","id");--> statement-breakpoint
CREATE INDEX "invoices_created" ON "invoices" USING btree ("tenant_alias","created_at","id");--> statement-breakpoint
CREATE INDEX "invoices_intent" ON "invoices" USING btree ("tenant_alias","intent_id","id");--> statement-breakpoint
CREATE INDEX "invoices_customer" ON "invoices" USING btree ("tenant_alias","customer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "payment_methods_customer" ON "payment_methods" USING btree ("tenant_alias","customer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "payments_invoice" ON "payments" USING btree ("tenant_alias","invoice_id","created_at","id");--> statement-breakpoint
CREATE INDEX "payments_pending" ON "payments" USING btree ("tenant_alias","created_at","id") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "payments_intent" ON "payments" USING btree ("tenant_alias","intent_id","created_at","id");--> statement-breakpoint
CREATE INDEX "prices_product" ON "prices" USING btree ("tenant_alias","product_id","created_at","id");--> statement-breakpoint
CREATE INDEX "products_created" ON "products" USING btree ("tenant_alias","created_at","id");--> statement-breakpoint
CREATE INDEX "products_group" ON "products" USING btree ("tenant_alias","group_id","created_at","id");--> statement-breakpoint
CREATE INDEX "subscriptions_created" ON "subscriptions" USING btree ("tenant_alias","created_at","id");--> statement-breakpoint
CREATE INDEX "subscriptions_customer" ON "subscriptions" USING btree ("tenant_alias","customer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "subscriptions_due" ON "subscriptions" USING btree ("tenant_alias","due_at","id") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "subscriptions_held" ON "subscriptions" USING btree ("tenant_alias","changing_intent_id") WHERE changing_intent_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_one_in_group" ON "subscriptions" USING btree ("tenant_alias","customer_id","group_id") WHERE cancelled_at is null and group_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_one_of_product" ON "subscriptions" USING btree ("tenant_alias","customer_id","product_id") WHERE cancelled_at is null;--> statement-breakpoint
CREATE INDEX "traces_created" ON "traces" USING btree ("tenant_alias","created_at","event_id");--> statement-breakpoint
CREATE INDEX "traces_executor" ON "traces" USING btree ("tenant_alias","executor_id","created_at","event_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("tenant_alias","endpoint_id","due_at","id") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_chain" ON "webhook_deliveries" USING btree ("tenant_alias","endpoint_id","chain","sequence") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_created" ON "webhook_deliveries" USING btree ("tenant_alias","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_endpoint" ON "webhook_deliveries" USING btree ("tenant_alias","endpoint_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_endpoints_created" ON "webhook_endpoints" USING btree ("tenant_alias","created_at","id");