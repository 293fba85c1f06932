/** Encoding names of git that the encoding standard lacks, with the standard label. */
const LABELS: Readonly<Record<string, string>> = {
  cp932: 'windows-31j',
  cp936: 'gbk',
  cp949: 'euc-kr',
  cp950: 'big5',
  eucjp: 'euc-jp',
  euckr: 'euc-kr',
  'iso-2022jp': 'iso-2022-jp',
  latin9: 'iso-8859-15',
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes bytes of a commit by the first of these that fits: the declared encoding, UTF-8, Latin-1. Never throws, and never
 * replaces a byte by U+FFFD.
 */
export const decoded = (bytes: Buffer, encoding: string | null): string => {
  const label = encoding?.trim().toLowerCase() ?? '';
  if (/^(iso[-_]?8859[-_]?1|latin-?1|l1)$/.test(label)) return bytes.toString('latin1');
  const declared = decoderOf(LABELS[label] ?? label);
  // Git writes the declaration of UTF-16 to commits, but no text with a NUL: such a text is in another encoding.
  const fits = declared === null || !declared.encoding.startsWith('utf-16') || bytes.includes(0);
  return decodedBy(fits ? declared : null, bytes) ?? decodedBy(utf8, bytes) ?? bytes.toString('latin1');
};

type Decoder = Pick<typeof utf8, 'decode' | 'encoding'>;

const decoderOf = (label: string): Decoder | null => {
  // The encoding standard decodes ASCII as Windows-1252, but the encoding of bytes above 127 is not declared here.
  if (label === '' || /^(us-)?ascii$/.test(label)) return null;
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: true });
  } catch {
    return null;
  }
};

const decodedBy = (decoder: Decoder | null, bytes: Buffer): string | null => {
  try {
    return decoder?.decode(bytes) ?? null;
  } catch {
    return null;
  }
};
