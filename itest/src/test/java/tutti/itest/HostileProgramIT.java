package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the job after a program that damages its JVM runs as if that program had never run. */
@Tag("nightly")
@Timeout(value = 720, unit = TimeUnit.SECONDS)
class HostileProgramIT {
    @TempDir
    private static Path dir;
    private static TuttiScript.Daemon daemon;

    @BeforeAll
    static void start() throws Exception {
        TuttiScript.writeProgram(dir, "Next", """
            System.out.println(String.join(" ", System.getProperty("java.version"), System.getProperty("left"), System.getProperty("user.dir"),
                java.util.Locale.getDefault().toString(), java.util.TimeZone.getDefault().getID(), MPI.INFO_ENV.get("arch"), MPI.INFO_ENV.get("wdir"),
                String.valueOf(new int[] {size}[0])));""");
        TuttiScript.writeProgram(dir, "Streams", """
            java.io.PrintStream broken = new java.io.PrintStream(new java.io.OutputStream() {
                @Override public void write(int b) { throw new IllegalStateException("broken"); }
            });
            System.class.getMethod("setOut", java.io.PrintStream.class).invoke(null, broken);
            System.class.getMethod("setErr", java.io.PrintStream.class).invoke(null, broken);
            System.class.getMethod("setIn", java.io.InputStream.class).invoke(null, new Object[] {null});""");
        TuttiScript.writeProgram(dir, "Defaults", """
            java.util.Locale.setDefault(java.util.Locale.forLanguageTag("ar-EG-u-nu-arab"));
            java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone("Asia/Kathmandu"));
            Thread.class.getMethod("setDefaultUncaughtExceptionHandler", Thread.UncaughtExceptionHandler.class)
                .invoke(null, (Thread.UncaughtExceptionHandler) (t, e) -> { throw new IllegalStateException(e); });""");
        TuttiScript.writeProgram(dir, "Clears", "System.getProperties().clear();");
        TuttiScript.writeProgram(dir, "Replaces", "System.setProperties(new java.util.Properties());");
        TuttiScript.writeProgram(dir, "Sets", "System.setProperty(\"left\", \"behind\"); System.setProperty(\"user.dir\", \"/nowhere\");");
        TuttiScript.writeProgram(dir, "Exits", "if (rank == 1) { System.class.getMethod(\"exit\", int.class).invoke(null, 3); }");
        TuttiScript.writeProgram(dir, "Halts", """
            java.lang.invoke.MethodHandle halt = java.lang.invoke.MethodHandles.lookup().findVirtual(Runtime.class, "halt",
                java.lang.invoke.MethodType.methodType(void.class, int.class));
            new Thread(() -> { try { halt.invoke(Runtime.getRuntime(), 3); } catch (Throwable e) { throw new IllegalStateException(e); } }).start();
            Thread.sleep(60_000);""");
        for (final String program : List.of("Exits", "Halts", "Next", "Streams", "Defaults", "Clears", "Replaces", "Sets")) {
            TuttiScript.compile(dir, program);
        }
        daemon = new TuttiScript.Daemon(dir, "--name", "a");
    }

    @AfterAll
    static void stop() {
        daemon.close();
    }

    private static TuttiScript.Result run(final String program) throws Exception {
        return CommandInJvm.run(ThreeNodeCluster.commandLine(daemon, "run", "-n", "3", "--cp", dir.toString(), program));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Streams", "Defaults", "Clears", "Replaces", "Sets"})
    void shouldRunTheNextJobAsIfTheHostileOneHadNotRun(final String program) throws Exception {
        final List<String> before = next();
        run(program);
        assertEquals(before, next());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Exits", "Halts"})
    void shouldFailAJobThatEndsItsJvmByReflectionOrAMethodHandle(final String program) throws Exception {
        final TuttiScript.Result r = run(program);
        assertEquals(1, r.status(), r::toString);
        assertTrue(r.err().matches("(?s)tutti: node a: the JVM of job a-\\S+ has ended \\(pid=\\d+\\): it ended with status 3.*"), r::toString);
        next();
    }

    private static List<String> next() throws Exception {
        final TuttiScript.Result r = run("Next");
        assertEquals(0, r.status(), r::toString);
        return r.out().lines().sorted().toList();
    }
}
