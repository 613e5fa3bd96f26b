ALTER TABLE "limit_checks" ADD COLUMN "failures" bigint;--> statement-breakpoint
ALTER TABLE "limit_checks" ADD COLUMN "due_at" timestamp (3) with time zone;