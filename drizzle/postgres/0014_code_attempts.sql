CREATE TABLE "code_attempts" (
	"tenant_alias" text collate "C" NOT NULL,
	"subject_hash" text collate "C" NOT NULL,
	"failures" bigint NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "code_attempts_tenant_alias_subject_hash_pk" PRIMARY KEY("tenant_alias","subject_hash")
);
--> statement-breakpoint
ALTER TABLE "code_attempts" ADD CONSTRAINT "code_attempts_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "code_attempts_end" ON "code_attempts" USING btree ("tenant_alias","ends_at","subject_hash");