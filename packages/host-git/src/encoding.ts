import { CODE_PAGES } from './code-pages.js';

/** Names of encodings that git and its platforms use and the encoding standard lacks, with the standard label. */
const LABELS: Readonly<Record<string, string>> = {
  bigfive: 'big5',
  cp51932: 'euc-jp',
  cp874: 'windows-874',
  cp932: 'windows-31j',
  cp936: 'gbk',
  cp949: 'euc-kr',
  cp950: 'big5',
  eucjp: 'euc-jp',
  eucjpms: 'euc-jp',
  euckr: 'euc-kr',
  iso2022jp: 'iso-2022-jp',
  latin0: 'iso-8859-15',
  latin9: 'iso-8859-15',
  macroman: 'macintosh',
  shiftjis: 'shift_jis',
  tis620: 'windows-874',
  uhc: 'euc-kr',
};

const ascii = /^(us|(us|cs)?ascii|ansix34(19\d\d)?|(iso)?646(us|irv(19\d\d)?)?|isoir6|(cp|ibm)367)$/;
const latin1 = /^((iso)?88591(1987)?|latin1|l1|isoir100|csisolatin1|(cp|ibm)?819)$/;
const codePage = /^(?:cp|ibm|oem|dos|windows|xcp|iso)?0*(\d{3,6})$/;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes bytes of a commit by the first of these that fits: the declared encoding, UTF-8, Latin-1. Never throws, and never
 * replaces a byte by U+FFFD.
 */
export const decoded = (bytes: Buffer, encoding: string | null): string => {
  const declared = decoderOf(encoding?.trim().toLowerCase() ?? '');
  // Git writes the declaration of UTF-16 to commits, but no text with a NUL: such a text is in another encoding.
  const fits = declared === null || !declared.encoding.startsWith('utf-16') || bytes.includes(0);
  return decodedBy(fits ? declared : null, bytes) ?? decodedBy(utf8, bytes) ?? bytes.toString('latin1');
};

interface Decoder {
  readonly encoding: string;
  /** Throws, or returns null, if the bytes do not fit. */
  readonly decode: (bytes: Buffer) => string | null;
}

const decoderOf = (label: string): Decoder | null => {
  const name = label.replace(/[^a-z0-9]/g, '');
  // The encoding standard decodes ASCII as Windows-1252, but the encoding of bytes above 127 is not declared here.
  if (name === '' || ascii.test(name)) return null;
  if (latin1.test(name)) return { encoding: 'latin1', decode: (bytes) => bytes.toString('latin1') };
  const high = CODE_PAGES[codePage.exec(name)?.[1] ?? ''];
  if (high !== undefined) return { encoding: name, decode: (bytes) => decodedByPage(bytes, high) };
  const standard =
    LABELS[name] ?? label.replace(/^windows_?(?=\d)/, 'windows-').replace(/^8859[-_]/, 'iso-8859-');
  try {
    return new TextDecoder(standard, { fatal: true, ignoreBOM: true });
  } catch {
    return null;
  }
};

const decodedByPage = (bytes: Buffer, high: string): string | null => {
  const text = bytes
    .toString('latin1')
    .replace(/[\x80-\xff]/g, (byte) => high.charAt(byte.charCodeAt(0) - 128));
  return text.includes('\ufffd') ? null : text;
};

const decodedBy = (decoder: Decoder | null, bytes: Buffer): string | null => {
  try {
    return decoder?.decode(bytes) ?? null;
  } catch {
    return null;
  }
};
