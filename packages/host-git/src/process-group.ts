/** Sends a signal to all processes of a group; 0 only asks for them. False if the group has no process any more. */
export const signalGroup = (pid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean => {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
};
