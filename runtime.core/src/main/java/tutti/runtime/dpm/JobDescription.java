package tutti.runtime.dpm;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.osgi.framework.Version;
import tutti.runtime.job.Endpoint;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.locality.RankPlace;
import tutti.runtime.model.NodeLocality;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.select.SelectionInputs;

/**
 * A job as it describes itself to the jobs that it connects to.
 *
 * @param identity   distinguishes the job from all others, in hex
 * @param secret     authenticates links to the job's nodes, in hex
 * @param nodes      its nodes, with the endpoints of their listeners; that of the transport of every node is among them
 * @param localities where each of its nodes is; empty if that is not known
 * @param nodeOfRank for each of its ranks the index of the node
 * @param programs   the numbers of ranks of its programs
 * @param selection  its modules, parameters and rules
 */
record JobDescription(String identity, String secret, List<NodeEndpoints> nodes, List<NodeLocality> localities, List<Integer> nodeOfRank,
    List<RankCount> programs, SelectionInputs selection) {

    /**
     * Numbers of ranks of a program.
     *
     * @param requested ranks that were requested
     * @param started   ranks that were started
     */
    record RankCount(int requested, int started) {}

    /** Returns the id of the job in its cluster, for messages. */
    String name() {
        return selection.job();
    }

    /** Returns the number of ranks of the job. */
    int size() {
        return nodeOfRank.size();
    }

    /** Returns the number that tells the job apart in context ids. */
    int number() {
        return numberOf(identity);
    }

    /** Returns the number of a job: 31 bits of its identity. */
    static int numberOf(final String identity) {
        return Integer.parseUnsignedInt(identity.substring(0, 8), 16) & Integer.MAX_VALUE;
    }

    /** Returns the endpoint of a node on the transport of every node. */
    Endpoint tcp(final int node) {
        return nodes.get(node).of(Endpoint.TCP)
            .orElseThrow(() -> new IllegalStateException("node without " + Endpoint.TCP + ": " + nodes.get(node)));
    }

    /** Returns the places of its ranks. */
    List<RankPlace> places() {
        return RankPlace.ofRanks(nodes.stream().map(NodeEndpoints::node).toList(), nodeOfRank, localities);
    }

    /** Writes the description. */
    void write(final DataOutputStream out) throws IOException {
        out.writeUTF(identity);
        out.writeUTF(secret);
        out.writeInt(nodes.size());
        for (final NodeEndpoints node : nodes) {
            out.writeUTF(node.name());
            out.writeInt(node.endpoints().size());
            for (final Endpoint e : node.endpoints()) {
                out.writeUTF(e.scheme());
                out.writeUTF(e.reach());
                out.writeUTF(e.host());
                out.writeInt(e.port());
            }
        }
        out.writeInt(localities.size());
        for (final NodeLocality node : localities) {
            node.write(out);
        }
        out.writeInt(nodeOfRank.size());
        for (final int node : nodeOfRank) {
            out.writeInt(node);
        }
        out.writeInt(programs.size());
        for (final RankCount program : programs) {
            out.writeInt(program.requested());
            out.writeInt(program.started());
        }
        out.writeUTF(selection.job());
        out.writeInt(selection.held().size());
        for (final AgreedModules.Held h : selection.held()) {
            out.writeUTF(h.module().name());
            out.writeUTF(h.module().version().toString());
            out.writeUTF(h.module().digest());
            out.writeUTF(Objects.requireNonNullElse(h.quarantine(), ""));
            out.writeInt(h.nodes().size());
            for (final int node : h.nodes()) {
                out.writeInt(node);
            }
        }
        out.writeInt(selection.parameters().size());
        for (final Map.Entry<String, String> p : selection.parameters().entrySet()) {
            out.writeUTF(p.getKey());
            out.writeUTF(p.getValue());
            out.writeBoolean(selection.given().contains(p.getKey()));
        }
        selection.rules().write(out);
    }

    /** Reads a description. */
    static JobDescription read(final DataInputStream in) throws IOException {
        final String identity = in.readUTF();
        final String secret = in.readUTF();
        final List<NodeEndpoints> nodes = readList(in, () -> new NodeEndpoints(in.readUTF(),
            readList(in, () -> new Endpoint(in.readUTF(), in.readUTF(), in.readUTF(), in.readInt()))));
        final List<NodeLocality> localities = readList(in, () -> NodeLocality.read(in));
        final List<Integer> nodeOfRank = readList(in, in::readInt);
        final List<RankCount> programs = readList(in, () -> new RankCount(in.readInt(), in.readInt()));
        final String name = in.readUTF();
        final List<AgreedModules.Held> held = readList(in, () -> {
            final ModuleId module = new ModuleId(in.readUTF(), Version.parseVersion(in.readUTF()), in.readUTF());
            final String quarantine = in.readUTF();
            return new AgreedModules.Held(module, readList(in, in::readInt), quarantine.isEmpty() ? null : quarantine);
        });
        final Map<String, String> parameters = new TreeMap<>();
        final Set<String> given = new TreeSet<>();
        for (int n = in.readInt(); n > 0; n--) {
            final String key = in.readUTF();
            parameters.put(key, in.readUTF());
            if (in.readBoolean()) {
                given.add(key);
            }
        }
        return new JobDescription(identity, secret, nodes, localities, nodeOfRank, programs,
            new SelectionInputs(name, held, parameters, given, RuleTable.read(in)));
    }

    /** Reads an item of a list. */
    interface Item<T> {
        T read() throws IOException;
    }

    /** Reads a number, then as many items. */
    static <T> List<T> readList(final DataInputStream in, final Item<T> item) throws IOException {
        final List<T> items = new ArrayList<>();
        for (int n = in.readInt(); n > 0; n--) {
            items.add(item.read());
        }
        return List.copyOf(items);
    }

    @Override
    public String toString() {
        return "job " + name();
    }
}
