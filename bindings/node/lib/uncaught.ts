/** Calls a function of the application. Its error is an uncaught exception, not an error of the caller. */
export function callApplication(call: () => void): void {
  try {
    call();
  } catch (e) {
    queueMicrotask(() => {
      throw e;
    });
  }
}
