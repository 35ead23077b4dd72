package tutti.daemon.modules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the options of the JVM in which a module is proved. */
class ProofProcessTest {
    private static final List<String> ARCHIVE = List.of("-XX:SharedArchiveFile=/tutti/node.jsa", "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow", "-Xshare:auto", "-Xlog:cds*=off", "-Xlog:aot*=off");

    @Test
    void shouldStartWithTheArchiveOfClassesOfTheNodeAndTheOptionsThatItWasMadeWith() {
        final List<String> options = ProofProcess.options(ARCHIVE);
        assertEquals(ARCHIVE, options.subList(options.size() - ARCHIVE.size(), options.size()));
    }

    @Test
    void shouldHaveLimitsOfItsOwn() {
        final List<String> options = ProofProcess.options(List.of("-Xmx4g", "-XX:+UseParallelGC", "-Dtutti.cores=1", "-cp", "/tutti/boot.jar"));
        assertEquals(ProofProcess.options(List.of()), options);
        assertFalse(options.contains("-Xmx4g"));
    }
}
