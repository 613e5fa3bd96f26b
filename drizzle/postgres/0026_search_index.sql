CREATE TABLE "search_entries" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"type" text collate "C" NOT NULL,
	"text" text collate "C" NOT NULL,
	"grams" text collate "C",
	CONSTRAINT "search_entries_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "search_progress" (
	"tenant_alias" text collate "C" NOT NULL,
	"last_event" text collate "C" NOT NULL,
	CONSTRAINT "search_progress_tenant_alias_pk" PRIMARY KEY("tenant_alias")
);
--> statement-breakpoint
ALTER TABLE "search_entries" ADD CONSTRAINT "search_entries_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "search_progress" ADD CONSTRAINT "search_progress_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "search_entries_type" ON "search_entries" USING btree ("tenant_alias","type","id");--> statement-breakpoint
CREATE INDEX "search_entries_grams" ON "search_entries" USING gin (string_to_array("grams", E'\x1f'));
