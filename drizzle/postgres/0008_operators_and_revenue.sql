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
ALTER TABLE "subscriptions" ADD COLUMN "retries_ended_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "access_ended_for" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "method_detachments" ADD CONSTRAINT "method_detachments_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "method_detachments_due" ON "method_detachments" USING btree ("tenant_alias","due_at","id");--> statement-breakpoint
CREATE INDEX "subscriptions_grace" ON "subscriptions" USING btree ("tenant_alias","past_due_since","id") WHERE past_due_since is not null and cancelled_at is null and paused_at is null and (access_ended_for is null or access_ended_for <> past_due_since);