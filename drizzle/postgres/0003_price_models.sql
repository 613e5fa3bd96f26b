ALTER TABLE "intents" ADD COLUMN "quantity" bigint;--> statement-breakpoint
ALTER TABLE "intents" ADD COLUMN "pricing" json;--> statement-breakpoint
ALTER TABLE "prices" ADD COLUMN "pricing" json;--> statement-breakpoint
ALTER TABLE "prices" ADD COLUMN "min_quantity" bigint;--> statement-breakpoint
ALTER TABLE "prices" ADD COLUMN "max_quantity" bigint;--> statement-breakpoint
ALTER TABLE "prices" ADD COLUMN "nickname" text collate "C";--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "quantity" bigint;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "pricing" json;