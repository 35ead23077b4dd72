package tutti.daemon.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.daemon.settings.JobJvmSettings;

class JvmOptionsTest {
    private static final JobJvmSettings NONE = new JobJvmSettings(1, 1, null, null, 0, 0, 0);
    private static final JobJvmSettings LIMITED = new JobJvmSettings(1, 1, "160m", "32m", 0, 0, 2);

    @Test
    void shouldLeaveOutWhatIsOfTheNodeAlone() throws IOException {
        final List<String> options = JvmOptions.of(List.of("-Dtutti.node.jvms=1", "-Dx=1", "-agentlib:jdwp=server=y", "-Xms1g"), LIMITED, List.of());
        assertEquals(List.of("-Dx=1"), options.subList(0, 1));
        assertTrue(options.containsAll(List.of("-Xmx160m", "-XX:MaxDirectMemorySize=32m", "-XX:ActiveProcessorCount=2")), options::toString);
        assertFalse(options.contains("-Xms1g") || options.contains("-Dtutti.node.jvms=1") || options.contains("-agentlib:jdwp=server=y"),
            options::toString);
    }

    @Test
    void shouldPutTheOptionsOfAProgramLastAndNeverChooseTwoCollectors() throws IOException {
        final List<String> program = List.of("-Xmx96m", "-XX:+UseSerialGC", "-agentlib:jdwp=server=y");
        final List<String> options = JvmOptions.of(List.of("-XX:+UseParallelGC", "-Xms1g", "-Xmx2g"), NONE, program);
        assertEquals(program, options.subList(options.size() - 3, options.size()));
        assertFalse(options.contains("-XX:+UseParallelGC") || options.contains("-Xms1g"), options::toString);
        assertTrue(JvmOptions.of(List.of("-XX:+UseParallelGC"), NONE, List.of("-Xss1m")).contains("-XX:+UseParallelGC"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Xshare:dump", "-Dtutti.node.jvms=1", "-javaagent:x.jar", "--limit-modules=java.base", "Main"})
    void shouldRefuseOptionsThatTheRuntimeDoesNotStand(final String option) {
        assertEquals("a JVM for ranks does not take this option: " + option,
            assertThrows(IOException.class, () -> JvmOptions.of(List.of(), NONE, List.of(option))).getMessage());
    }

    @ParameterizedTest
    @CsvSource({"-Xmx161m, 160m, heap", "-XX:MaxHeapSize=1G, 160m, heap", "-XX:MaxDirectMemorySize=33554433, 32m, direct"})
    void shouldRefuseAJvmThatIsLargerThanTheNodePermits(final String option, final String max, final String limit) throws IOException {
        assertEquals("the program's JVM is larger than the node permits: " + option + ", max=" + max + ", limit=tutti.node.job." + limit,
            assertThrows(IOException.class, () -> JvmOptions.of(List.of(), LIMITED, List.of(option))).getMessage());
        assertTrue(JvmOptions.of(List.of(), NONE, List.of(option)).contains(option));
        assertTrue(JvmOptions.of(List.of(), LIMITED, List.of("-Xmx163840k")).contains("-Xmx163840k"));
    }
}
