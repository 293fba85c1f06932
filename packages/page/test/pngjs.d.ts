/** What the tests use of pngjs, which has no types of its own. */
declare module 'pngjs' {
  export class PNG {
    constructor(options?: { readonly width?: number; readonly height?: number; readonly fill?: boolean });
    readonly width: number;
    readonly height: number;
    readonly data: Buffer;
    static readonly sync: { read(bytes: Buffer): PNG; write(picture: PNG): Buffer };
  }
}
