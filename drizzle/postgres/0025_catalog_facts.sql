ALTER TABLE "products" ADD COLUMN "features" json;--> statement-breakpoint
ALTER TABLE "products" ADD COLUMN "highlighted" boolean;--> statement-breakpoint
ALTER TABLE "products" ADD COLUMN "sort_order" bigint;--> statement-breakpoint
ALTER TABLE "prices" ADD COLUMN "archived_at" timestamp (3) with time zone;