package tutti.runtime.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tutti.runtime.transport.LinkRecorder;
import tutti.runtime.transport.Listener;

/** Devices of an endpoint, and the access to memory that they permit. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DevicesTest {
    private static final String LINES = """
        #
        # UCP endpoint 127.0.0.1
        #
        #               peer: 127.0.0.1
        #                 %s
        #                 lane[8]: cm rdmacm
        #
        #                tag_send: 0..<egr/short>..8185..<egr/bcopy>..8191..<egr/zcopy>..(inf)
        #                  rma_bw: mds [1] rndv_rkey_size 19
        #
        """;

    private static Devices parse(final String... lanes) {
        return Devices.parse(LINES.formatted(String.join("\n#                 ", lanes)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
        lane[0]:  1:tcp/lo.0 md[1]               -> md[1]/tcp/sysdev[255] am am_bw#0 keepalive wireup; tcp/lo; false; false
        lane[0]:  1:tcp/eth0.0 md[1]             -> md[1]/tcp/sysdev[255] seg 8192 rma_bw#0 am am_bw#0; tcp/eth0; false; false
        lane[0]: 10:ud_mlx5/mlx5_0:1.0 md[4]     -> md[4]/ib/sysdev[0] am am_bw#0 keepalive; ud_mlx5/mlx5_0:1; false; false
        lane[0]:  9:ud_verbs/rxe0:1.0 md[4]      -> md[4]/ib/sysdev[0] am am_bw#0; ud_verbs/rxe0:1; false; false
        lane[0]:  7:rc_verbs/mlx4_0:1.0 md[4]    -> md[4]/ib/sysdev[0] rma_bw#0 am am_bw#0 wireup; rc_verbs/mlx4_0:1; true; false
        lane[0]:  8:rc_mlx5/mlx5_0:1.0 md[4]     -> md[4]/ib/sysdev[0] rma_bw#0 amo#0 am am_bw#0 keepalive; rc_mlx5/mlx5_0:1; true; true
        lane[0]:  6:dc_mlx5/mlx5_1:1.0 md[4]     -> md[4]/ib/sysdev[0] seg 8256 rma_bw#0 am am_bw#0; dc_mlx5/mlx5_1:1; true; false
        lane[0]:  8:rc_mlx5/mlx5_0:1.0 md[4]     -> md[4]/ib/sysdev[0] rma_bw#0 am wireup{ud_mlx5/mlx5_0:1}; rc_mlx5/mlx5_0:1; true; false
        lane[0]:  2:sysv/memory.0 md[2]          -> md[2]/sysv/sysdev[255] amo#0 rma_bw#0 am; sysv/memory; false; false
        """)
    void shouldTellWhatALaneHas(final String lane, final String names, final boolean hasRma, final boolean hasAtomics) {
        assertEquals(new Devices(names, hasRma, hasAtomics), parse(lane));
    }

    @Test
    void shouldNameEachDeviceOnceAndFindWhatAnyLaneHas() {
        assertEquals(new Devices("tcp/eth0,rc_mlx5/mlx5_0:1,dc_mlx5/mlx5_1:1", true, true), parse(
            "lane[0]:  1:tcp/eth0.0 md[1]             -> md[1]/tcp/sysdev[255] am keepalive",
            "lane[1]:  8:rc_mlx5/mlx5_0:1.0 md[4]     -> md[4]/ib/sysdev[0] rma_bw#0 am_bw#0",
            "lane[2]:  8:rc_mlx5/mlx5_0:1.1 md[4]     -> md[4]/ib/sysdev[0] rma_bw#1 am_bw#1",
            "lane[3]: 12:dc_mlx5/mlx5_1:1.0 md[5]     -> md[5]/ib/sysdev[1] rma_bw#2 amo#0"));
    }

    @Test
    void shouldHaveNothingWhereTheDescriptionHasNoLane() {
        assertEquals(new Devices("unknown devices", false, false), Devices.parse(""));
        assertEquals(new Devices("unknown devices", false, false), parse("lane[0]: something else rc_mlx5/mlx5_0:1 amo#0"));
        assertEquals(new Devices("tcp/lo", true, true), new Devices("tcp/lo", false, false).emulating());
    }

    @Test
    void shouldGiveLinksOverTcpNoAccessToMemory() throws Exception {
        Libucp.assume();
        final LinkRecorder near = new LinkRecorder();
        final LinkRecorder far = new LinkRecorder();
        try (UcxTransport transport = new UcxTransport();
             Listener listener = transport.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), (link, hello) -> {
                 assertNull(link.bulk());
                 far.link = link;
                 return far;
             })) {
            near.link = transport.connect(listener.address(), UcxPair.HELLO, near, UcxPair.LIMIT);
            assertTrue(near.link.toString().contains(" by tcp/"), near.link.toString());
            assertNull(near.link.bulk());
            assertNull(far.link.bulk());
            assertTrue(LinkRecorder.send(near.link, "in a frame"));
            assertEquals("in a frame", far.text());
        }
    }
}
