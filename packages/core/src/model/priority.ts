/** The named classes. A lower number goes first. */
export const priorityClasses = { urgent: 0, high: 10, medium: 100, low: 200 } as const;
export type PriorityName = keyof typeof priorityClasses;

export const PRIORITY_MAX = 255;

/** `named` is false if the submitter gave no priority, so that the default applies. */
export interface Priority {
  readonly value: number;
  readonly named: boolean;
}

export const defaultPriority: Priority = { value: priorityClasses.medium, named: false };

/** The class of a value: 0 urgent, 1-10 high, 11-100 medium, above that low. */
export const priorityName = (value: number): PriorityName => {
  if (value <= priorityClasses.urgent) return 'urgent';
  if (value <= priorityClasses.high) return 'high';
  if (value <= priorityClasses.medium) return 'medium';
  return 'low';
};
