/** Reads a setting of `.env`. */
export function readSetting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing in .env`);
  return value;
}
