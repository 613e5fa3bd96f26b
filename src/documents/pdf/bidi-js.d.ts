declare module 'bidi-js' {
  export interface EmbeddingLevels {
    paragraphs: { start: number; end: number; level: number }[];
    levels: Uint8Array;
  }
  interface Bidi {
    getEmbeddingLevels(text: string, baseDirection?: 'ltr' | 'rtl' | 'auto'): EmbeddingLevels;
    getReorderSegments(text: string, levels: EmbeddingLevels, start: number, end: number): [number, number][];
    getMirroredCharacter(character: string): string | null;
  }
  export default function createBidi(): Bidi;
}
