/**
 * Stops threads that do not end by themselves, through the JVM's native interfaces. Optional: without native access no thread is stopped.
 *
 * <pre>{@code
 * ThreadStopper -> StopAttempt (suspend, examine, throw, resume) -> Jvmti -----------+-> NativeInterface -> JavaVm
 *               -> SafeStopPoint: where a thread may be stopped     JniReferences ----+
 *               -> JdkInternals: virtual threads, the executor of a thread
 * }</pre>
 */
package tutti.runtime.process.stop;
