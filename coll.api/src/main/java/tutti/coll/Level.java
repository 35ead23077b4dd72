package tutti.coll;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A level of locality of a communicator: it divides the ranks into domains, within which data travels a shorter way than between them.
 *
 * <p>The names are, from the innermost level to the outermost: {@link #HWTHREAD}, {@link #CORE}, {@link #CACHE}, {@link #NUMA}, {@link #SOCKET},
 * {@link #JVM}, {@link #HOST}, and {@link #switches} of one and more levels. {@link #CLUSTER} is the name of what holds everything; it is no
 * level, since it divides nothing.
 *
 * <p>Domains are numbered from 0 in the order of their lowest ranks. Immutable; safe for any thread.
 */
public final class Level {
    /** Ranks that are bound to the same hardware thread. */
    public static final String HWTHREAD = "hwthread";
    /** Ranks that are bound to the same core. */
    public static final String CORE = "core";
    /** Ranks whose processors share the last level of cache. */
    public static final String CACHE = "cache";
    /** Ranks whose processors are of the same NUMA node. */
    public static final String NUMA = "numa";
    /** Ranks whose processors are in the same socket. */
    public static final String SOCKET = "socket";
    /** Ranks in the same JVM, which share memory: those with the same {@link CollComm#nodeOf}. */
    public static final String JVM = "jvm";
    /** Ranks on the same host: the same node of the cluster. */
    public static final String HOST = "host";
    /** All ranks of any communicator. */
    public static final String CLUSTER = "cluster";

    private static final String SWITCH = "switch";

    private final String name;
    private final int[] domainOf;
    private final List<List<Integer>> ranks;

    private Level(final String name, final int[] domainOf, final List<List<Integer>> ranks) {
        this.name = name;
        this.domainOf = domainOf;
        this.ranks = ranks;
    }

    /**
     * Creates a level.
     *
     * @param name    its name
     * @param domains for each rank an identification of its domain
     */
    public static Level of(final String name, final List<?> domains) {
        final Map<Object, Integer> numbers = new HashMap<>();
        final List<List<Integer>> members = new ArrayList<>();
        final int[] domainOf = new int[domains.size()];
        for (int rank = 0; rank < domainOf.length; rank++) {
            domainOf[rank] = numbers.computeIfAbsent(domains.get(rank), d -> {
                members.add(new ArrayList<>());
                return members.size() - 1;
            });
            members.get(domainOf[rank]).add(rank);
        }
        return new Level(Objects.requireNonNull(name, "name"), domainOf, members.stream().map(List::copyOf).toList());
    }

    /**
     * Returns the name of the level of hosts that are connected by so many levels of switches: {@code switch} for the hosts of one switch, {@code
     * switch2} for those of one switch of switches, and so on.
     *
     * @param depth number of levels of switches, from 1
     */
    public static String switches(final int depth) {
        return depth == 1 ? SWITCH : SWITCH + depth;
    }

    /** Returns whether that is the name of a level, or {@link #CLUSTER}. */
    public static boolean isName(final String text) {
        return List.of(HWTHREAD, CORE, CACHE, NUMA, SOCKET, JVM, HOST, CLUSTER).contains(text) || text.matches(SWITCH + "([2-9]|[1-9][0-9])?");
    }

    /** Returns the name. */
    public String name() {
        return name;
    }

    /** Returns the number of ranks of the communicator's local group. */
    public int ranks() {
        return domainOf.length;
    }

    /** Returns the number of domains. */
    public int domains() {
        return ranks.size();
    }

    /**
     * Returns the domain of a rank.
     *
     * @throws IndexOutOfBoundsException if the communicator's local group has no such rank
     */
    public int domainOf(final int rank) {
        return domainOf[rank];
    }

    /**
     * Returns the ranks of a domain, in ascending order.
     *
     * @throws IndexOutOfBoundsException if there is no such domain
     */
    public List<Integer> ranksOf(final int domain) {
        return ranks.get(domain);
    }

    /** Returns the same level of a part of the communicator, given the ranks of the part here in the order of their ranks there. */
    public Level of(final int... part) {
        return of(name, Arrays.stream(part).mapToObj(rank -> domainOf[rank]).toList());
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof final Level l && name.equals(l.name) && Arrays.equals(domainOf, l.domainOf);
    }

    @Override
    public int hashCode() {
        return 31 * name.hashCode() + Arrays.hashCode(domainOf);
    }

    /** Returns the name and the ranks of each domain. */
    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder(name);
        for (final List<Integer> members : ranks) {
            text.append(' ').append(members);
        }
        return text.toString();
    }
}
