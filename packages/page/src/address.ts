export interface QueueAddress {
  readonly host: string;
  readonly owner: string;
  readonly name: string;
  readonly branch: string;
}

/** The path of a queue's page, or of a pull request's page; slashes within a part are encoded. */
export const pageAddress = ({ host, owner, name, branch }: QueueAddress, pr?: number): string =>
  `/${[host, owner, name, branch, ...(pr === undefined ? [] : [String(pr)])].map(encodeURIComponent).join('/')}`;
