package tutti.daemon.control;

import java.util.function.UnaryOperator;

/**
 * Parameter that a job may set.
 *
 * @param name    dotted name, for example {@code coll.ring.segment}
 * @param value   value when the job does not set it; null when it then has no value
 * @param problem check of a value: returns what is wrong with it, or null
 */
public record Parameter(String name, String value, UnaryOperator<String> problem) {}
