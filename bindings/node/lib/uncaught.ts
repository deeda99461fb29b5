/** Calls a function of the application. An error that it throws becomes an uncaught exception of the process. */
export function callApplication(call: () => void): void {
  try {
    call();
  } catch (e) {
    queueMicrotask(() => {
      throw e;
    });
  }
}
