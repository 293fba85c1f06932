/** An address from outside that may become a link: only http and https; null for anything else. */
export const safeLink = (address: string | null | undefined): string | null => {
  if (address === null || address === undefined || address === '') return null;
  try {
    const { protocol, href } = new URL(address, 'https://relative.invalid');
    if (protocol !== 'https:' && protocol !== 'http:') return null;
    return href.startsWith('https://relative.invalid/') && !address.startsWith('/') ? null : address;
  } catch {
    return null;
  }
};
