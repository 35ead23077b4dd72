package tutti.runtime.locality;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.coll.Level;

/** The levels of locality of the ranks of a communicator. Immutable; safe for any thread. */
public final class RankLevels {
    private final List<RankPlace> places;
    private final List<?> jvms;
    /** The names of the levels at which every rank is in a domain, but that of JVMs, the innermost first. */
    private final List<String> names = new ArrayList<>();
    /** The different places. */
    private final Set<RankPlace> different = Collections.newSetFromMap(new IdentityHashMap<>());
    /** Made when a module asks for it. */
    private volatile @Nullable List<Level> levels;

    /**
     * Creates the levels of ranks.
     *
     * @param ranks number of ranks, from 1
     * @param place the place of a rank
     * @param jvm   what tells the JVM of a rank from those of others
     */
    public RankLevels(final int ranks, final IntFunction<RankPlace> place, final IntFunction<?> jvm) {
        places = IntStream.range(0, ranks).mapToObj(place).toList();
        jvms = IntStream.range(0, ranks).mapToObj(jvm).toList();
        different.addAll(places);
        for (final String name : places.getFirst().levels()) {
            if (different.stream().allMatch(p -> p.domain(name) != null)) {
                names.add(name);
            }
        }
    }

    /** Returns the name of the innermost level of which one domain has all ranks; {@link Level#CLUSTER} if there is none. */
    public String level() {
        for (final String name : withJvm()) {
            if (name.equals(Level.JVM) ? jvms.stream().allMatch(jvms.getFirst()::equals)
                : different.stream().map(p -> p.domain(name)).distinct().count() == 1) {
                return name;
            }
        }
        return Level.CLUSTER;
    }

    /** Returns the levels at which every rank is in a domain, the innermost first. */
    public List<Level> levels() {
        final List<Level> made = levels;
        if (made != null) {
            return made;
        }
        final List<Level> all = new ArrayList<>();
        for (final String name : withJvm()) {
            if (name.equals(Level.JVM)) {
                all.add(Level.of(name, jvms));
            } else {
                final Map<RankPlace, Object> domains = new IdentityHashMap<>();
                different.forEach(p -> domains.put(p, Objects.requireNonNull(p.domain(name))));
                all.add(Level.of(name, places.stream().map(domains::get).toList()));
            }
        }
        levels = List.copyOf(all);
        return all;
    }

    private List<String> withJvm() {
        final List<String> all = new ArrayList<>(names);
        all.add(names.indexOf(Level.HOST), Level.JVM);
        return all;
    }
}
