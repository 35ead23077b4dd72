package tutti.daemon.control;

import java.util.List;
import tutti.runtime.select.ModuleId;

/** Knows the parameters of the modules that are on this node. */
public interface ParameterSource {

    /** Those that a module declares, with this node's values; none for a module that is not here. */
    List<Parameter> of(ModuleId module);
}
