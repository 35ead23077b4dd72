package tutti.runtime.transport.ucx;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The devices that UCX has chosen for an endpoint, and what they do without the peer's process.
 *
 * <p>Where a device has no remote memory access, UCX emulates it by messages that the progress of the peer's process answers. When such an answer
 * cannot be sent, because the process that asked has died for example, UCX aborts the process that answers (functions {@code ucp_get_req_handler} and
 * {@code ucp_rma_sw_send_cmpl}, which call {@code ucs_fatal}). So emulated access is for tests alone.
 *
 * @param names      names for people: {@code tcp/eth0} for example
 * @param hasRma     whether devices read and write the peer's memory
 * @param hasAtomics whether devices have atomic operations on it
 */
record Devices(String names, boolean hasRma, boolean hasAtomics) {
    /** Lane in the description of an endpoint: {@code lane[0]:  1:tcp/eth0.0 md[1] -> md[1]/tcp/sysdev[255] am am_bw#0 wireup}. */
    private static final Pattern LANE = Pattern.compile("lane\\[\\d+]:\\s*\\d+:((\\w+)/\\S+)\\.\\d+\\s(.*)");
    /** Reliable connections of InfiniBand and RoCE; datagrams (ud) and sockets (tcp) have no remote memory access. */
    private static final Pattern RELIABLE = Pattern.compile("[rd]c(_.*)?");
    /** Lane for atomic operations. UCX lists none where it emulates them. */
    private static final Pattern ATOMICS = Pattern.compile("\\samo#\\d");

    /** Parses the description of an endpoint, in the format of {@code ucp_ep_print_info}. */
    static Devices parse(final String description) {
        List<String> names = new ArrayList<>();
        boolean hasRma = false;
        boolean hasAtomics = false;
        for (MatchResult lane : LANE.matcher(description).results().toList()) {
            if (!names.contains(lane.group(1))) {
                names.add(lane.group(1));
            }
            if (RELIABLE.matcher(lane.group(2)).matches()) {
                hasRma = true;
                hasAtomics |= ATOMICS.matcher(lane.group(3)).find();
            }
        }
        return new Devices(names.isEmpty() ? "unknown devices" : String.join(",", names), hasRma, hasAtomics);
    }

    /** Returns these devices with the access that UCX emulates. */
    Devices emulating() {
        return new Devices(names, true, true);
    }
}
