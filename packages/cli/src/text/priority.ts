/** The named classes of a priority, with their own values. A lower number goes first. */
export const priorityClasses = { urgent: 0, high: 10, medium: 100, low: 200 } as const;

interface Prioritized {
  readonly priorityName: keyof typeof priorityClasses;
  readonly priorityValue: number;
}

/** "high", or "medium 12" where the value is not the class's own. */
export const priorityText = ({ priorityName, priorityValue }: Prioritized): string =>
  priorityClasses[priorityName] === priorityValue ? priorityName : `${priorityName} ${priorityValue}`;
