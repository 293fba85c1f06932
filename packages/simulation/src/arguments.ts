/** Parses a whole number from the command line; throws an error that names the option. */
export const whole = (name: string, text: string): number => {
  const number = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(number) || number < 0)
    throw new Error(`${name} is ${text}; it must be a whole number from 0 on.`);
  return number;
};
