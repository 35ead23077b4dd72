package tutti.daemon.security;

import java.util.Locale;
import java.util.stream.Stream;

/** What the holder of a secret may ask of a cluster. Each role includes those before it. */
public enum Role {
    /** Lists nodes, modules, jobs and checkpoints. */
    OBSERVE,
    /** Runs and cancels jobs, and removes checkpoints. */
    RUN,
    /** Installs, updates, rolls back and removes modules. */
    CHANGE,
    /** Is a node, joins nodes, and stops them. */
    NODE;

    /** Returns whether the holder of this role may do what needs the other. */
    public boolean includes(final Role other) {
        return compareTo(other) >= 0;
    }

    /** Returns the name as users write it, for example {@code observe}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the role with a name.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static Role parse(final String name) {
        // Remedy: one of these.
        return Stream.of(values()).filter(role -> role.toString().equals(name)).findFirst()
            .orElseThrow(() -> new IllegalArgumentException("no such role: name=" + name + ", allowed=observe|run|change|node"));
    }
}
