package tutti.runtime.checkpoint.memory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import tutti.runtime.checkpoint.store.MemoryOption;

/** The groups of ranks that keep checks for each other. The ranks of a node are in different groups, as far as there are as many. */
record BuddyGroups(List<Group> groups) {
    private static final int SPACING = 1 << 16;

    /**
     * A group.
     *
     * @param ranks  its ranks in the communicator
     * @param checks how many of them may fail
     */
    record Group(List<Integer> ranks, int checks) {
        Group {
            ranks = List.copyOf(ranks);
        }

        /** Returns the group of ranks that are on these nodes: as many nodes may fail as the option has checks, if there are more. */
        static Group of(final MemoryOption option, final List<Integer> ranks, final int[] nodes) {
            final List<Long> perNode = ranks.stream().map(r -> nodes[r]).collect(Collectors.groupingBy(Function.identity(), Collectors.counting()))
                .values().stream().sorted(Comparator.reverseOrder()).toList();
            final int checks = perNode.size() <= option.checks() ? Math.min(option.checks(), ranks.size() - 1)
                : perNode.stream().limit(option.checks()).mapToInt(Long::intValue).sum();
            return new Group(ranks, checks);
        }

        boolean survives(final boolean[] missing) {
            return ranks.stream().filter(r -> missing[r]).count() <= checks;
        }
    }

    BuddyGroups {
        groups = List.copyOf(groups);
    }

    /** Returns the groups of ranks that are on these nodes. */
    static BuddyGroups of(final MemoryOption option, final int[] nodes) {
        final int count = Math.max(1, nodes.length / (option.data() + option.checks()));
        final List<List<Integer>> groups = IntStream.range(0, count).<List<Integer>>mapToObj(g -> new ArrayList<>()).toList();
        final List<Integer> byNode = IntStream.range(0, nodes.length).boxed().sorted(Comparator.comparingInt(r -> nodes[r])).toList();
        for (int i = 0; i < byNode.size(); i++) {
            groups.get(i % count).add(byNode.get(i));
        }
        return new BuddyGroups(groups.stream().map(g -> Group.of(option, g, nodes)).toList());
    }

    /** Returns the groups that numbers of them describe; see {@link #numbers}. */
    static BuddyGroups ofNumbers(final long[] numbers) {
        final Map<Long, List<Integer>> byGroup = IntStream.range(0, numbers.length).boxed().sorted(Comparator.comparingLong(r -> numbers[r]))
            .collect(Collectors.groupingBy(r -> numbers[r] / SPACING));
        return new BuddyGroups(
            byGroup.keySet().stream().sorted().map(g -> new Group(byGroup.getOrDefault(g, List.of()), (int) (g % SPACING))).toList());
    }

    /** Returns a number for each rank, from which the groups follow. */
    long[] numbers() {
        final long[] numbers = new long[groups.stream().mapToInt(g -> g.ranks.size()).sum()];
        for (int g = 0; g < groups.size(); g++) {
            final Group group = groups.get(g);
            for (int i = 0; i < group.ranks.size(); i++) {
                numbers[group.ranks.get(i)] = ((long) g * SPACING + group.checks) * SPACING + i;
            }
        }
        return numbers;
    }

    /** Returns the group of a rank. */
    Group groupOf(final int rank) {
        return groups.stream().filter(g -> g.ranks.contains(rank)).findFirst().orElseThrow();
    }

    /** Returns whether the states of ranks that are missing follow from those of the others. */
    boolean survives(final boolean[] missing) {
        return groups.stream().allMatch(g -> g.survives(missing));
    }

    /** Returns the nodes whose loss would lose states. */
    List<Integer> nodesAtRisk(final int[] nodes) {
        final TreeSet<Integer> risks = new TreeSet<>(Arrays.stream(nodes).boxed().toList());
        risks.removeIf(n -> {
            final boolean[] missing = new boolean[nodes.length];
            for (int r = 0; r < nodes.length; r++) {
                missing[r] = nodes[r] == n;
            }
            return survives(missing);
        });
        return List.copyOf(risks);
    }
}
