package tutti.daemon.job;

import java.util.List;
import tutti.runtime.module.ModuleId;

/** Source of the parameters of the modules that are installed on this node. */
public interface ParameterSource {

    /** Returns the parameters that a module declares, with this node's values; empty for a module that is not installed on this node. */
    List<Parameter> of(ModuleId module);
}
