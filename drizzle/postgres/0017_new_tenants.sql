CREATE TABLE "server_settings" (
	"id" text collate "C" NOT NULL,
	"value" text collate "C" NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "server_settings_id_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
ALTER TABLE "operators" ADD COLUMN "role_in_new_tenants" text collate "C";--> statement-breakpoint
-- The first operator, whom the server itself created, owns all tenants.
UPDATE "operators" SET "role_in_new_tenants" = 'owner' WHERE "email" = 'admin@localhost';
