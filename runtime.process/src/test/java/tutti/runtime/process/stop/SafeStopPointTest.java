package tutti.runtime.process.stop;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.Thread.State;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SafeStopPointTest {
    private static final List<String> LAUNCH = List.of("java.lang.reflect.Method.invoke", "tutti.runtime.process.RankMain.run",
        "java.lang.Thread.run");

    /** Returns the given frames, the innermost first, followed by the outermost frames that every main thread has. */
    private static StackTraceElement[] main(final String... frames) {
        return Stream.concat(Stream.of(frames), LAUNCH.stream()).map(SafeStopPointTest::frame).toArray(StackTraceElement[]::new);
    }

    private static StackTraceElement[] thread(final String... frames) {
        return Stream.of(frames).map(SafeStopPointTest::frame).toArray(StackTraceElement[]::new);
    }

    private static StackTraceElement frame(final String method) {
        final int dot = method.lastIndexOf('.');
        final String owner = method.substring(0, dot);
        final String module = owner.startsWith("java.") || owner.startsWith("jdk.") ? "java.base" : null;
        return new StackTraceElement(null, module, null, owner, method.substring(dot + 1), null, 1);
    }

    @Test
    void shouldAllowTheProgramsOwnCode() {
        assertTrue(SafeStopPoint.IN_PROGRAM.allows(main("App.loop", "App.main"), State.RUNNABLE));
        assertTrue(SafeStopPoint.IN_PROGRAM.allows(main("App.<clinit>"), State.RUNNABLE));
        assertTrue(SafeStopPoint.IN_PROGRAM.allows(thread("App$1.run", "java.lang.Thread.run"), State.RUNNABLE));
    }

    @Test
    void shouldAllowTheJdkWhileItWaitsOrWhereInJdkIsAllowed() {
        final StackTraceElement[] stack = main("java.util.HashMap.put", "App.main");
        assertFalse(SafeStopPoint.IN_PROGRAM.allows(stack, State.RUNNABLE));
        assertTrue(SafeStopPoint.IN_PROGRAM.allows(stack, State.TIMED_WAITING));
        assertTrue(SafeStopPoint.IN_JDK.allows(stack, State.RUNNABLE));
    }

    @Test
    void shouldNeverAllowTheRuntime() {
        assertFalse(SafeStopPoint.IN_JDK.allows(main("tutti.runtime.match.Queue.post", "mpi.Comm.send", "App.main"), State.RUNNABLE));
        assertFalse(SafeStopPoint.IN_JDK.allows(main("java.util.HashMap.put", "tutti.runtime.match.Queue.post", "App.main"), State.WAITING));
        assertFalse(SafeStopPoint.IN_JDK.allows(main("App$Op.apply", "tutti.runtime.schedule.Engine.run", "App.main"), State.RUNNABLE));
        assertFalse(SafeStopPoint.IN_JDK.allows(main("tutti.runtime.job.Job.before"), State.WAITING));
        assertFalse(SafeStopPoint.IN_JDK.allows(main(), State.RUNNABLE));
    }

    @Test
    void shouldNeverAllowTheLoadingAndInitialisationOfSharedClasses() {
        assertFalse(SafeStopPoint.IN_JDK.allows(main("java.util.Locale.<clinit>", "App.main"), State.RUNNABLE));
        assertFalse(SafeStopPoint.IN_JDK.allows(main("java.lang.ClassLoader.defineClass1", "App.main"), State.RUNNABLE));
    }

    @Test
    void shouldAllowIdleThreadsOfPools() {
        final StackTraceElement[] idle = thread("jdk.internal.misc.Unsafe.park", "java.util.concurrent.ThreadPoolExecutor.runWorker",
            "java.lang.Thread.run");
        assertTrue(SafeStopPoint.IN_PROGRAM.allows(idle, State.WAITING));
        assertFalse(SafeStopPoint.IN_PROGRAM.allows(idle, State.RUNNABLE));
        assertFalse(SafeStopPoint.IN_JDK.allows(thread(), State.WAITING));
        assertFalse(SafeStopPoint.NOWHERE.allows(idle, State.WAITING));
    }
}
