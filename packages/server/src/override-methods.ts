type Call = (...args: never[]) => unknown;

/** The same object, with the values of `others`, and other methods where `methodOf` makes one for a name. */
export const overrideMethods = <Of extends object>(
  whole: Of,
  methodOf: (name: string, member: Call) => Call | null,
  others: object = {},
): Of =>
  new Proxy(whole, {
    get: (target, name) => {
      if (Object.hasOwn(others, name)) return Reflect.get(others, name);
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || typeof name !== 'string') return member;
      return methodOf(name, member as Call) ?? member.bind(target);
    },
  });
