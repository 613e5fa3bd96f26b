CREATE TABLE "action_requests" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"operation" text collate "C" NOT NULL,
	"input" json NOT NULL,
	"reason" text collate "C",
	"preview" json NOT NULL,
	"customer_id" text collate "C",
	"requested_by" text collate "C" NOT NULL,
	"requested_by_name" text collate "C",
	"requested_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"status" text collate "C" NOT NULL,
	"decided_by" text collate "C",
	"decided_by_name" text collate "C",
	"decided_at" timestamp (3) with time zone,
	"decline_reason" text collate "C",
	"completed_at" timestamp (3) with time zone,
	"result_id" text collate "C",
	"failure" json,
	CONSTRAINT "action_requests_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
ALTER TABLE "action_requests" ADD CONSTRAINT "action_requests_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "action_requests_requested" ON "action_requests" USING btree ("tenant_alias","requested_at","id");--> statement-breakpoint
CREATE INDEX "action_requests_status" ON "action_requests" USING btree ("tenant_alias","status","requested_at","id");--> statement-breakpoint
CREATE INDEX "action_requests_operation" ON "action_requests" USING btree ("tenant_alias","operation","requested_at","id");--> statement-breakpoint
CREATE INDEX "action_requests_requester" ON "action_requests" USING btree ("tenant_alias","requested_by","requested_at","id");--> statement-breakpoint
CREATE INDEX "action_requests_customer" ON "action_requests" USING btree ("tenant_alias","customer_id","requested_at","id");--> statement-breakpoint
CREATE INDEX "action_requests_expiry" ON "action_requests" USING btree ("tenant_alias","expires_at","id") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "action_requests_begun" ON "action_requests" USING btree ("tenant_alias","decided_at","id") WHERE status = 'approved' and completed_at is null;