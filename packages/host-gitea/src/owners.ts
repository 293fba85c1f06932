/** Whether repositories of this owner are served, ignoring letter case; those of all owners without a list. */
export const isOwnerServed = (owners: readonly string[] | undefined, owner: string): boolean =>
  owners?.some((one) => one.toLowerCase() === owner.toLowerCase()) ?? true;
