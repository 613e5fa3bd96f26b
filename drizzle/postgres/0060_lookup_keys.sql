ALTER TABLE "products" ADD COLUMN "lookup_key" text collate "C";--> statement-breakpoint
ALTER TABLE "prices" ADD COLUMN "lookup_key" text collate "C";--> statement-breakpoint
ALTER TABLE "coupons" ADD COLUMN "lookup_key" text collate "C";--> statement-breakpoint
CREATE UNIQUE INDEX "products_lookup_key" ON "products" USING btree ("tenant_alias","lookup_key") WHERE lookup_key is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "prices_lookup_key" ON "prices" USING btree ("tenant_alias","lookup_key") WHERE lookup_key is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "coupons_lookup_key" ON "coupons" USING btree ("tenant_alias","lookup_key") WHERE lookup_key is not null;