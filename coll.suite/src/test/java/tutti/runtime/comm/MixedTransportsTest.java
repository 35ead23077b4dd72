package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tutti.coll.CollModule;
import tutti.coll.basic.BasicModule;
import tutti.coll.dissem.DissemModule;
import tutti.coll.recexch.RecexchModule;
import tutti.coll.ring.RingModule;
import tutti.coll.smp.SmpModule;
import tutti.coll.tree.TreeModule;
import tutti.runtime.ContractSuite;
import tutti.runtime.ContractSuite.Shape;

/** Tests all collectives on nodes some of which are linked by shared memory and others by TCP, by the modules that serve by default. */
@Tag("nightly")
@EnabledOnOs(OS.LINUX)
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class MixedTransportsTest {
    private static final List<CollModule> MODULES = List.of(new BasicModule(), new TreeModule(), new RecexchModule(), new DissemModule(),
        new RingModule(), new SmpModule());

    @ParameterizedTest
    @CsvSource({"3, 3", "5, 3", "6, 3", "7, 4", "4, 2"})
    void shouldKeepTheContractOverSharedMemoryAndTcp(final int ranks, final int nodes) throws Exception {
        try (MixedTransport transport = new MixedTransport()) {
            assertEquals(22, ContractSuite.blocking(new Shape(ranks, nodes), transport, Map.of(), MODULES).size());
        }
    }

    @ParameterizedTest
    @CsvSource({"3, 3", "5, 3"})
    void shouldKeepTheContractOfRequestsOverSharedMemoryAndTcp(final int ranks, final int nodes) throws Exception {
        try (MixedTransport transport = new MixedTransport()) {
            assertEquals(22, ContractSuite.requests(new Shape(ranks, nodes), transport, Map.of(), MODULES).size());
        }
    }
}
