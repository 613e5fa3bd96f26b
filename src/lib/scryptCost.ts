/** How much work the hash of a password takes (RFC 7914). */
export interface ScryptCost {
  N: number;
  r: number;
  p: number;
}

/** 32 MiB and about a quarter of a second (OWASP Password Storage Cheat Sheet). */
export const standardScryptCost: ScryptCost = { N: 2 ** 15, r: 8, p: 3 };
