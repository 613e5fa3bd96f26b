/** The scripts of a release and of an installation, which are not TypeScript. */
declare module '*/lockedPackages.mjs' {
  /** Entries of a lock file, by place. */
  type Packages = Record<string, { name?: string; version: string; integrity?: string; resolved?: string }>;
  export const pickNeeded: (packages: Packages) => Packages;
  export const addAddresses: (packages: Packages, registry: string) => Packages;
}

declare module '*/release/dockerfile.mjs' {
  export const readDockerfile: (file: string) => {
    copies: { from: string; to: string; owner: string }[];
    config: ImageConfig;
  };
}

declare module '*/release/image.mjs' {
  export interface Image {
    layers: string[];
    config: ImageConfig;
    packages: string[];
  }
  export const makeImage: (work: string) => Image;
  export const writeArchive: (image: Image, file: string, work: string, created: string) => void;
}

declare module '*/release/materials.mjs' {
  export interface Materials {
    components: { 'bom-ref': string; name: string; version: string }[];
    dependencies: { ref: string; dependsOn: string[] }[];
  }
  export const describeLockedPackages: () => Materials;
  export const listPackageMaterials: (npm: Materials) => Materials;
  export const listImageMaterials: (npm: Materials, node: string, packages: string[]) => Materials;
}

declare module '*/release/proofs.mjs' {
  export const proveImage: (
    image: { layers: string[]; config: ImageConfig },
    folder: string,
  ) => Promise<string[]>;
}

/** Settings as an image records them. */
interface ImageConfig {
  User: string;
  WorkingDir: string;
  Env: string[];
  Entrypoint: string[];
  Volumes: Record<string, object>;
  ExposedPorts: Record<string, object>;
}
