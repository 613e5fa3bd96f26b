/** The argument that every root field takes: the tenant is known by the key, and may be named to be verified. */
export const tenantAlias = {
  nullable: true,
  description: "The key's tenant, to be verified; may be left out. Error: `tenant_mismatch`.",
};

/** The argument that proves that a customer is the one meant. */
export const associatedId = {
  nullable: true,
  description: "The customer's id in your own system, to be verified. Error: `associated_id_mismatch`.",
};
